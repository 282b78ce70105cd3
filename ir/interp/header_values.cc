#include "ir/interp/header_values.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
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

namespace {

std::optional<Number> constantOfArray(const Op &op) {
  std::optional<Number> dimension = constantInHeader(*op.operand(1));
  Type type = op.operand(0)->type();
  if (!dimension || dimension->i < 0 || dimension->i >= type.rank()) return std::nullopt;
  const auto at = static_cast<size_t>(dimension->i);
  const std::vector<int64_t> extents = shapeOf(type);
  // An array with at most one element along a dimension may have any stride there.
  if (op.kind() == OpKind::Stride && (extents[at] == kDynamic || extents[at] <= 1)) return std::nullopt;
  int64_t number = op.kind() == OpKind::Stride ? memrefStrides(type)[at] : extents[at];
  return number == kDynamic ? std::nullopt : std::optional(integerNumber(number));
}

// Whether the operand alone decides what `and` or `or` of two conditions gives.
bool decides(const Op &op, const Number &operand) {
  if (op.result()->type().elem() != Elem::I1) return false;
  return (op.kind() == OpKind::AndI && operand.i == 0) || (op.kind() == OpKind::OrI && operand.i != 0);
}

} // namespace

std::optional<Number> constantInHeader(const Value &value) {
  const Op *op = value.definingOp();
  if (!op || !isHeaderOp(*op)) return std::nullopt;
  if (op->info().clause == Clause::Literal) return numberFromAttr(value.type().elem(), op->attrs().at(0).value);
  if (op->info().typeRule == TypeRule::Dim) return constantOfArray(*op);
  std::array<Number, kMostHeaderOperands> operands;
  bool known = true;
  for (size_t i = 0; i < op->operandCount(); ++i) {
    std::optional<Number> operand = constantInHeader(*op->operand(i));
    if (operand && decides(*op, *operand)) return operand;
    known &= operand.has_value();
    if (operand) operands[i] = *operand;
  }
  return known ? evaluateScalar(elementwiseOp(*op), std::span(operands).first(op->operandCount())) : std::nullopt;
}

std::string whyNot(const Value &condition, const std::function<int64_t(const Value &)> &number) {
  if (!comparesIndices(condition)) return "it does not hold";
  const Op &compares = *condition.definingOp();
  return str("the sides are ", number(*compares.operand(0)), " and ", number(*compares.operand(1)));
}

} // namespace xt
