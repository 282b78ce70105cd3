#include "lang/lower/alike_operands.h"

#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/op_lowering.h"

namespace xt {

bool lowerAlike(KernelState &state, std::span<const ast::Expr *const> exprs, Type like, std::vector<Value *> &values) {
  values.assign(exprs.size(), nullptr);
  bool ok = true;
  Type first;
  for (size_t i = 0; i < exprs.size(); ++i) {
    if (isLiteral(*exprs[i])) continue;
    values[i] = lowerExpr(state, *exprs[i], like);
    ok &= values[i] != nullptr;
    // Prefer the type of a vector to that of a scalar.
    if (values[i] && (!first || (values[i]->type().isVector() && !first.isVector()))) first = values[i]->type();
  }
  if (!ok) return false;
  if (first && first.isVector()) first = state.context.scalar(first.elem());
  for (size_t i = 0; i < exprs.size(); ++i)
    if (!values[i]) {
      values[i] = lowerLiteral(state, *exprs[i], first ? first : like);
      ok &= values[i] != nullptr;
    }
  return ok;
}

bool broadcastScalars(KernelState &state, std::vector<Value *> &values, SourceRange range, bool alike) {
  Type vector;
  for (Value *value : values)
    if (value->type().isVector() && !vector) vector = value->type();
  if (!vector) return true;
  for (Value *&value : values) {
    if (!value->type().isScalar() || (alike && value->type().elem() != vector.elem())) continue;
    Type type = state.context.withLayout(state.context.withElem(vector, value->type().elem()), nullptr);
    state.builder.setRange(value->range());
    if (Op *op = value->definingOp(); op && op->kind() == OpKind::Constant) {
      Op *copy = state.builder.create(OpKind::Constant, {}, {type});
      ConstantOp(*copy).setValue(ConstantOp(*op).value(), op->range());
      // The scalar of a literal has no other use; a constant with a name may be used later.
      if (value->uses().empty() && value->name().empty() && op->block()) op->block()->erase(op);
      value = copy->result();
      continue;
    }
    value = emitOp(state, OpKind::Splat, {value}, {range}, range, {}, type);
    if (!value) return false;
  }
  return true;
}

} // namespace xt
