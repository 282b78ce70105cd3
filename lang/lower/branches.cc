#include "lang/lower/branches.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "lang/lower/bindings.h"
#include "lang/lower/carried_values.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/statements.h"
#include "lang/lower/written_types.h"

namespace xt {
namespace {

// Makes the op of an `if` that has a body.
class BranchLowering {
public:
  BranchLowering(KernelState &state, const ast::Stmt &stmt, SourceRange header);
  void lower(Value *condition);

private:
  void lowerRegion(size_t r);
  size_t explicitCount(size_t r) const { return yields_[r].values.size() - carried_.size(); }
  bool yieldAlike();
  bool agreeWithTypes();
  void endRegions();

  KernelState &state_;
  const ast::Stmt &stmt_;
  SourceRange header_;
  std::vector<const ast::Block *> blocks_; // one or two blocks; the op has two regions in any case
  std::vector<CarriedName> carried_;
  Op *branch_ = nullptr;
  std::vector<RegionYield> yields_; // for each region the values of its `yield`, then those of the carried names
  bool failed_ = false;
};

BranchLowering::BranchLowering(KernelState &state, const ast::Stmt &stmt, SourceRange header)
    : state_(state), stmt_(stmt), header_(header), blocks_{&*stmt.body} {
  if (stmt.orElse) blocks_.push_back(&*stmt.orElse);
  carried_ = carriedNames(state, blocks_);
}

void BranchLowering::lowerRegion(size_t r) {
  state_.builder.setEnd(*branch_->region(r));
  state_.names.push();
  state_.yields.emplace_back();
  if (r < blocks_.size()) lowerBlock(state_, *blocks_[r]);
  yields_.push_back(std::move(state_.yields.back()));
  state_.yields.pop_back();
  failed_ |= !appendCarried(state_, carried_, yields_.back());
  state_.names.pop();
}

// Whether both branches yield values of the same types. If not, an error was reported, here or before.
bool BranchLowering::yieldAlike() {
  if (yields_[1].values.size() != yields_[0].values.size()) {
    if (!yields_[0].lost && !yields_[1].lost)
      state_.diagnostics().report(
          DiagCode::ResultCount, header_,
          str("one branch of this `if` yields ", explicitCount(0), " values, the other ", explicitCount(1)));
    return false;
  }
  for (size_t i = 0; !failed_ && i < explicitCount(0); ++i) {
    Value *first = yields_[0].values[i], *second = yields_[1].values[i];
    if (!first || !second) return false;
    if (!sameCarriedType(state_, first->type(), second, yields_[1].ranges[i], "the value of this `if`", yields_[0].ranges[i]))
      return false;
  }
  return true;
}

// Whether the values have the types written after the condition. If not, an error was reported.
bool BranchLowering::agreeWithTypes() {
  if (stmt_.resultTypes.empty()) return true;
  const std::vector<Value *> &values = yields_[0].values;
  std::vector<Value *> given(values.begin(), values.begin() + static_cast<ptrdiff_t>(explicitCount(0)));
  SourceRange range = stmt_.resultTypes.front().range.to(stmt_.resultTypes.back().range);
  return agreesWith(state_, stmt_.resultTypes, given, range, "value");
}

void BranchLowering::endRegions() {
  for (size_t r = 0; r < 2; ++r) {
    state_.builder.setEnd(*branch_->region(r));
    SourceRange end = (r < blocks_.size() ? blocks_[r]->range : stmt_.body->range).endPoint();
    emitYield(state_, failed_ ? std::nullopt : std::optional(yields_[r]), end);
  }
}

void BranchLowering::lower(Value *condition) {
  branch_ = state_.builder.create(OpKind::If, {condition}, {}, 2);
  if (stmt_.expr) branch_->setOperandRanges({stmt_.expr->range});
  Builder outer = state_.builder;
  for (size_t r = 0; r < 2; ++r) lowerRegion(r);
  failed_ |= !yieldAlike();
  failed_ = failed_ || !agreeWithTypes();
  endRegions();
  state_.builder = outer;
  if (failed_) {
    loseCarried(state_, carried_);
    return poison(state_, stmt_);
  }
  for (Value *value : yields_[0].values) branch_->addResult(value->type())->setRange(header_);
  size_t count = explicitCount(0);
  bindCarried(state_, carried_, *branch_, count);
  bindOpResults(state_, stmt_, *branch_, count, "if");
}

} // namespace

Value *lowerIfCondition(KernelState &state, const ast::Stmt &stmt) {
  Value *condition = stmt.expr ? lowerCondition(state, *stmt.expr, "if") : nullptr;
  state.builder.setRange(headerOf(stmt));
  return condition ? condition : state.builder.constantInt(state.context.i1(), 1);
}

void lowerIf(KernelState &state, const ast::Stmt &stmt) {
  Value *condition = lowerIfCondition(state, stmt);
  if (!stmt.body) return poison(state, stmt);
  BranchLowering(state, stmt, headerOf(stmt)).lower(condition);
}

} // namespace xt
