#include "passes/subgroup_output.h"

#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "passes/index_arithmetic.h"

namespace xt {

// Asserts each part of a condition in the subgroup that holds it, and reports a failure with its index in the
// workgroup's vector.
void SubgroupOutput::check(const Op &op) {
  Type type = op.operand(0)->type();
  auto assertOf = [&](Values operands) {
    Op *copy = b_.create(op.kind(), std::move(operands), {});
    copyAttrs(op, *copy);
    AssertOp(*copy).setWorkgroup();
    return copy;
  };
  if (!type.isVector()) {
    assertOf(values_.ofAll(op.operands()));
    return;
  }
  Pieces pieces(type);
  for (size_t k = 0; k < pieces.count(); ++k) {
    Values operands = {values_.of(op.operand(0))[k]};
    for (size_t d = 0; d < pieces.dims.size(); ++d)
      operands.push_back(orZero(b_, places_.indexOf(pieces.dims[d], pieces.at(k)[d])));
    AssertOp(*assertOf(std::move(operands))).setWhole(shapeOf(type));
  }
}

// Prints once per workgroup, from the first subgroup.
void SubgroupOutput::print(const Op &op) {
  auto matrix = [](const Value *value) { return value->type().rank() == 2; };
  Values whole;
  size_t first = barriers_.next();
  for (const Value *operand : op.operands())
    whole.push_back(!operand->type().isVector() ? values_.one(operand)
                    : matrix(operand)           ? slm_.publish(operand)
                                                : elements_.publish(operand));
  barriers_.join(first);
  places_.onlyInFirst([&] {
    Values shown;
    for (size_t i = 0; i < whole.size(); ++i) {
      const Value *operand = op.operand(i);
      Type type = operand->type();
      shown.push_back(!type.isVector()  ? whole[i]
                      : matrix(operand) ? slm_.load(whole[i], nullptr, nullptr, shapeOf(type))
                                        : elements_.whole(operand, whole[i]));
    }
    Op *copy = b_.create(op.kind(), std::move(shown), {});
    copyAttrs(op, *copy);
    PrintOp(*copy).setWorkgroup();
  });
}

} // namespace xt
