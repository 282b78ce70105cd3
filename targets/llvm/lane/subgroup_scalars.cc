#include "targets/llvm/lane/subgroup_scalars.h"

#include "ir/constants.h"
#include "ir/op_kinds.h"

namespace xt {

std::optional<Number> SubgroupScalars::of(const Value &value, int depth) {
  if (auto found = known_.find(&value); found != known_.end()) return found->second;
  return known_[&value] = computed(value, depth);
}

std::optional<Number> SubgroupScalars::computed(const Value &value, int depth) {
  const Op *op = value.definingOp();
  if (!op || !depth || value.type().isVector()) return std::nullopt;
  if (op->kind() == OpKind::SubgroupId) return integerNumber(subgroup_);
  if (const AttrValue *constant = constantValue(value)) return numberFromAttr(value.type().elem(), *constant);
  if (op->kind() == OpKind::Select) {
    std::optional<Number> condition = of(*op->operand(0), depth - 1);
    return condition ? of(*op->operand(condition->i ? 1 : 2), depth - 1) : std::nullopt;
  }
  if (!op->info().elementwise) return std::nullopt;
  std::vector<Number> operands;
  for (const Value *operand : op->operands()) {
    std::optional<Number> known = of(*operand, depth - 1);
    if (!known) return std::nullopt;
    operands.push_back(*known);
  }
  return evaluateScalar(elementwiseOp(*op), operands);
}

} // namespace xt
