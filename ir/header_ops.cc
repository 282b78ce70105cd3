#include "ir/header_ops.h"

#include <algorithm>

namespace xt {

bool isHeaderOp(const Op &op) {
  auto isConstant = [](const Value *value) {
    return value->definingOp() && value->definingOp()->info().clause == Clause::Literal;
  };
  auto isScalar = [](const Value *value) { return value->type().isScalar(); };
  if (op.resultCount() != 1 || !isScalar(op.result())) return false;
  if (op.info().clause == Clause::Literal) return true;
  if (op.info().typeRule == TypeRule::Dim) return !op.operand(0)->definingOp() && isConstant(op.operand(1));
  return op.info().elementwise && op.operandCount() <= kMostHeaderOperands && std::ranges::all_of(op.operands(), isScalar);
}

} // namespace xt
