#include "ir/interp/header_values.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/header_ops.h"
#include "ir/op_kinds.h"

#include <array>

namespace xt {
Result<Number> HeaderValues::of(const Value &value) const {
  const Op *op = value.definingOp();
  if (!op) return std::get<Number>(args_.at(value.index()));
  XT_CHECK(isHeaderOp(*op), "the verifier accepts only such ops in a header");
  if (op->info().clause == Clause::Literal) return numberFromAttr(value.type().elem(), op->attrs().at(0).value);
  if (op->info().typeRule == TypeRule::Dim) return ofArray(*op);
  std::array<Number, kMostHeaderOperands> operands;
  for (size_t i = 0; i < op->operandCount(); ++i) {
    Result<Number> operand = of(*op->operand(i));
    if (!operand) return operand;
    operands[i] = *operand;
  }
  std::optional<Number> result = evaluateScalar(elementwiseOp(*op), std::span(operands).first(op->operandCount()));
  XT_CHECK(result, "an elementwise op has a value");
  return *result;
}

Result<Number> HeaderValues::ofArray(const Op &op) const {
  const auto &array = std::get<MemRefValue>(args_.at(op.operand(0)->index()));
  Result<Number> dimension = of(*op.operand(1));
  if (!dimension) return dimension;
  if (dimension->i < 0 || static_cast<size_t>(dimension->i) >= array.rank)
    return Error::kernel(
        str("`", op.info().name, "` of dimension ", dimension->i, ", but the memref has ", array.rank, " dimensions"),
        op.range());
  const auto &numbers = op.kind() == OpKind::Stride ? array.strides : array.sizes;
  return integerNumber(numbers[static_cast<size_t>(dimension->i)]);
}

} // namespace xt
