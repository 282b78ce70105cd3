#include "targets/cpu/dense_columns.h"

#include "targets/cpu/vector_values.h"

namespace xt {
namespace {

class DenseColumns {
public:
  // All that have the shape, less those that something forbids, until nothing does.
  std::unordered_set<const Value *> find(const Kernel &kernel) {
    walk(const_cast<Block &>(kernel.body), [&](Op &op) { // walk gives mutable ops; nothing is changed
      for (size_t i = 0; i < op.resultCount(); ++i) add(op.result(i));
      for (size_t r = 0; r < op.regionCount(); ++r)
        for (const auto &param : op.region(r)->params()) add(param.get());
    });
    for (bool changed = true; changed;) {
      changed = false;
      for (const Value *&value : candidates_)
        if (value && !(isMadeDense(*value) && isUsedDense(*value))) dense_.erase(value), value = nullptr, changed = true;
    }
    return std::move(dense_);
  }

private:
  void add(const Value *value) {
    Type type = value->type();
    if (!type.isVector() || type.rank() != 2 || type.extent(1) != 1 || type.extent(0) == 1 || isUniform(value)) return;
    candidates_.push_back(value);
    dense_.insert(value);
  }

  bool isDense(const Value *value) const { return dense_.contains(value) || isUniform(value); }

  bool isMadeDense(const Value &value) const {
    const Op *op = value.definingOp();
    if (!op) return isCarriedDense(value.definingBlock()->parentOp(), value.index(), true);
    if (op->kind() == OpKind::For) return isCarriedDense(op, value.index(), false);
    if (op->kind() == OpKind::Reduction) return isStreamedReduction(*op) && std::get<std::vector<int64_t>>(op->attr("dims")->value)[0] == 1;
    if (!isPointwise(*op)) return false;
    for (const Value *operand : op->operands())
      if (operand->type().isVector() && !isDense(operand)) return false;
    return true;
  }

  // What a loop carries is one buffer, and so is dense at all four places or at none.
  bool isCarriedDense(const Op *loop, size_t index, bool isParam) const {
    if (!loop || loop->kind() != OpKind::For) return false;
    CarriedAt at = carriedAt(*loop);
    if (isParam && index < at.param) return false;
    size_t i = isParam ? index - at.param : index;
    return dense_.contains(loop->region(0)->param(at.param + i)) && dense_.contains(loop->result(i)) && isDense(loop->operand(at.operand + i)) &&
           isDense(loop->region(0)->last()->operand(at.yield + i));
  }

  bool isUsedDense(const Value &value) const {
    for (Use use : value.uses())
      if (!takesDense(*use.user, use.operand)) return false;
    return true;
  }
  bool takesDense(const Op &user, size_t operand) const {
    if (isPointwise(user)) return dense_.contains(user.result());
    if (user.kind() == OpKind::Broadcast) return isReadingBroadcast(user) && user.result()->type().extent(1) > 1;
    const Op *loop = user.kind() == OpKind::Yield ? user.block()->parentOp() : &user;
    if (!loop || loop->kind() != OpKind::For) return false;
    CarriedAt at = carriedAt(*loop);
    size_t first = loop == &user ? at.operand : at.yield;
    return operand >= first && dense_.contains(loop->result(operand - first));
  }

  std::vector<const Value *> candidates_; // null: was one
  std::unordered_set<const Value *> dense_;
};

} // namespace

std::unordered_set<const Value *> findDenseColumns(const Kernel &kernel) { return DenseColumns().find(kernel); }

} // namespace xt
