#include "targets/cpu/analysis/dense_columns.h"

#include "ir/nest_rows.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "targets/cpu/analysis/vector_values.h"

#include <vector>

namespace xt {
namespace {

class DenseColumns {
public:
  // Starts with all values of the right shape and removes those that cannot be dense. When one is removed, its neighbours are
  // checked again.
  std::unordered_set<const Value *> find(const Kernel &kernel) {
    forEachOp(kernel.body, [&](const Op &op) {
      for (size_t i = 0; i < op.resultCount(); ++i) add(op.result(i));
      for (size_t r = 0; r < op.regionCount(); ++r)
        for (const auto &param : op.region(r)->params()) add(param.get());
    });
    while (!open_.empty()) {
      const Value *value = open_.back();
      open_.pop_back();
      if (!dense_.contains(value) || (isMadeDense(*value) && isUsedDense(*value))) continue;
      dense_.erase(value);
      reopen(*value);
    }
    return std::move(dense_);
  }

private:
  void add(const Value *value) {
    Type type = value->type();
    if (!type.isVector() || type.rank() != 2 || type.extent(1) != 1 || type.extent(0) == 1 || isUniform(value)) return;
    open_.push_back(value);
    dense_.insert(value);
  }

  // Queues the operands of the op that defines the value, the results computed from the value and, if a loop carries it, the
  // other values of the same loop-carried variable.
  void reopen(const Value &value) {
    const Op *op = value.definingOp();
    if (!op)
      reopenCarried(value.definingBlock()->parentOp(), value.index(), &CarriedAt::param);
    else if (op->kind() == OpKind::For)
      reopenCarried(op, value.index(), nullptr);
    else
      reopenAround(*op);
    for (Use use : value.uses()) {
      const Op &user = *use.user;
      if (user.kind() == OpKind::Yield)
        reopenCarried(user.block()->parentOp(), use.operand, &CarriedAt::yield);
      else if (user.kind() == OpKind::For)
        reopenCarried(&user, use.operand, &CarriedAt::operand);
      else
        reopenAround(user);
    }
  }
  void reopenAround(const Op &op) {
    if (!isPointwise(op)) return;
    open_.insert(open_.end(), op.operands().begin(), op.operands().end());
    open_.push_back(op.result());
  }
  // Queues all values of a loop-carried variable. `index` is that of a parameter, an operand or a yielded value, of which the
  // carried ones begin at member `from` of CarriedAt; if `from` is null, it is the index of a result.
  void reopenCarried(const Op *loop, size_t index, size_t CarriedAt::*from) {
    if (!loop || loop->kind() != OpKind::For) return;
    CarriedAt at = carriedAt(*loop);
    size_t first = from ? at.*from : 0;
    if (index < first) return;
    size_t i = index - first;
    const Block &body = *loop->region(0);
    open_.insert(open_.end(), {loop->operand(at.operand + i), body.param(at.param + i), body.last()->operand(at.yield + i),
                               loop->result(i)});
  }

  bool isDense(const Value *value) const { return dense_.contains(value) || isUniform(value); }

  bool isMadeDense(const Value &value) const {
    const Op *op = value.definingOp();
    if (!op) return isCarriedDense(value.definingBlock()->parentOp(), value.index(), true);
    if (op->kind() == OpKind::For) return isCarriedDense(op, value.index(), false);
    if (op->kind() == OpKind::Reduction) return isStreamedReduction(*op) && ReductionOp(*op).dim() == 1;
    if (!isPointwise(*op)) return false;
    for (const Value *operand : op->operands())
      if (operand->type().isVector() && !isDense(operand)) return false;
    return true;
  }

  // A value that a loop carries has one buffer, so it is dense at all four places (init, parameter, yield, result) or at none.
  bool isCarriedDense(const Op *loop, size_t index, bool isParam) const {
    if (!loop || loop->kind() != OpKind::For) return false;
    CarriedAt at = carriedAt(*loop);
    if (isParam && index < at.param) return false;
    size_t i = isParam ? index - at.param : index;
    return dense_.contains(loop->region(0)->param(at.param + i)) && dense_.contains(loop->result(i)) &&
           isDense(loop->operand(at.operand + i)) && isDense(loop->region(0)->last()->operand(at.yield + i));
  }

  bool isUsedDense(const Value &value) const {
    for (Use use : value.uses())
      if (!takesDense(*use.user, use.operand)) return false;
    return true;
  }
  bool takesDense(const Op &user, size_t operand) const {
    if (isPointwise(user)) return dense_.contains(user.result());
    if (user.kind() == OpKind::Broadcast) return isReadingBroadcast(user) && user.result()->type().extent(1) > 1;
    if (user.kind() == OpKind::Nest) return operand == kNestRowsOperand;
    const Op *loop = user.kind() == OpKind::Yield ? user.block()->parentOp() : &user;
    if (!loop || loop->kind() != OpKind::For) return false;
    CarriedAt at = carriedAt(*loop);
    size_t first = loop == &user ? at.operand : at.yield;
    return operand >= first && dense_.contains(loop->result(operand - first));
  }

  std::vector<const Value *> open_; // still to be checked
  std::unordered_set<const Value *> dense_;
};

} // namespace

std::unordered_set<const Value *> findDenseColumns(const Kernel &kernel) { return DenseColumns().find(kernel); }

} // namespace xt
