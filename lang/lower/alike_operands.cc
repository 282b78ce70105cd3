#include "lang/lower/alike_operands.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/op_lowering.h"

#include <algorithm>
#include <ranges>

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

namespace {

// The scalar as a vector of this type; null if an error was reported.
Value *repeated(KernelState &state, Value *value, Type type, SourceRange range) {
  state.builder.setRange(value->range());
  if (Op *op = value->definingOp(); op && op->kind() == OpKind::Constant) {
    Op *copy = state.builder.create(OpKind::Constant, {}, {type});
    ConstantOp(*copy).setValue(ConstantOp(*op).value(), op->range());
    // The scalar of a literal has no other use; a constant with a name may be used later.
    if (value->uses().empty() && value->name().empty() && op->block()) op->block()->erase(op);
    return copy->result();
  }
  return emitOp(state, OpKind::Splat, {value}, {range}, range, {}, type);
}

// The shape to which NumPy stretches these vectors: aligned at the last dimension, each extent is 1 or the same. Empty if they
// do not fit together, or if one of them is no plain vector.
std::vector<int64_t> commonShape(const std::vector<Value *> &values) {
  std::vector<int64_t> common;
  for (const Value *value : values) {
    Type type = value->type();
    if (!type.isVector()) continue;
    if (!type.isPlain() || !type.hasStaticShape()) return {};
    std::span<const int64_t> shape = type.shape();
    if (shape.size() > common.size()) common.insert(common.begin(), shape.size() - common.size(), 1);
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t &extent = common[common.size() - shape.size() + i];
      if (extent != shape[i] && extent != 1 && shape[i] != 1) return {};
      if (extent == 1) extent = shape[i];
    }
  }
  return common;
}

// Whether a vector may have this shape; otherwise reports an error.
bool fitsVector(KernelState &state, std::span<const int64_t> shape, SourceRange range) {
  constexpr int64_t kMostElements = int64_t{1} << 31;
  int64_t count = 1;
  bool fits = std::ranges::all_of(
      shape, [&](int64_t extent) { return !__builtin_mul_overflow(count, extent, &count) && count <= kMostElements; });
  if (!fits)
    state.diagnostics().report(DiagCode::BadExtent, range,
                               str("the operands stretch to ", shapeText(shape), " elements; a vector has at most 2^31"));
  return fits;
}

} // namespace

bool stretchesTo(Type vector, std::span<const int64_t> shape) {
  std::span<const int64_t> own = vector.shape();
  if (!vector.isPlain() || own.size() > shape.size()) return false;
  for (size_t i = 0; i < own.size(); ++i)
    if (own[i] != 1 && own[i] != shape[shape.size() - own.size() + i]) return false;
  return true;
}

Value *stretchTo(KernelState &state, Value *value, std::span<const int64_t> shape, SourceRange range) {
  Elem elem = value->type().elem();
  std::vector<int64_t> extents(value->type().shape().begin(), value->type().shape().end());
  if (extents.size() < shape.size()) {
    extents.insert(extents.begin(), shape.size() - extents.size(), 1);
    value = emitOp(state, OpKind::Reshape, {value}, {range}, range, {}, state.context.vector(extents, elem));
  }
  for (size_t d = shape.size(); value && d-- > 0;) {
    if (extents[d] == shape[d]) continue;
    extents[d] = shape[d];
    std::vector<int64_t> dims{static_cast<int64_t>(d)};
    value = emitOp(state, OpKind::Broadcast, {value}, {range}, range, {{"dims", std::move(dims), range}},
                   state.context.vector(extents, elem));
  }
  return value;
}

bool stretchOperands(KernelState &state, std::vector<Value *> &values, SourceRange range, bool alike) {
  Type vector;
  bool sameElem = true, sameShape = true;
  for (Value *value : values) {
    if (!value->type().isVector()) continue;
    if (!vector) vector = value->type();
    sameElem &= value->type().elem() == vector.elem();
    sameShape &= std::ranges::equal(value->type().shape(), vector.shape());
  }
  if (!vector) return true;
  std::vector<int64_t> shape;
  if (!sameShape && (sameElem || !alike)) shape = commonShape(values);
  if (!fitsVector(state, shape, range)) return false;
  Type whole = shape.empty() ? state.context.withLayout(vector, nullptr) : state.context.vector(shape, vector.elem());
  for (Value *&value : values) {
    Type type = value->type();
    if (type.isScalar() && (!alike || type.elem() == vector.elem()))
      value = repeated(state, value, state.context.withElem(whole, type.elem()), range);
    else if (type.isVector() && !shape.empty() && !std::ranges::equal(type.shape(), shape))
      value = stretchTo(state, value, shape, range);
    if (!value) return false;
  }
  return true;
}

} // namespace xt
