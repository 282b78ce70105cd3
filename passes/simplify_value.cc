#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "ir/interp/scalar_eval.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "passes/facts.h"
#include "passes/simplify.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace xt {
namespace {

// The condition of an identity: the right operand is this constant (commutative ops have constants on the right), or both
// operands are the same value.
enum class When : uint8_t { RightZero, RightOne, RightOnes, RightMinusZero, Alike };
enum class Gives : uint8_t { Left, Right, Zero };
struct Identity {
  OpKind kind;
  When when;
  Gives gives;
};

// Exact for every value, including NaN, infinities and -0.0. A float zero is +0.0.
constexpr Identity kIdentities[] = {
    {OpKind::AddI, When::RightZero, Gives::Left},  {OpKind::SubI, When::RightZero, Gives::Left},
    {OpKind::SubI, When::Alike, Gives::Zero},      {OpKind::MulI, When::RightOne, Gives::Left},
    {OpKind::MulI, When::RightZero, Gives::Right}, {OpKind::DivSI, When::RightOne, Gives::Left},
    {OpKind::DivUI, When::RightOne, Gives::Left},  {OpKind::CeilDivSI, When::RightOne, Gives::Left},
    {OpKind::RemSI, When::RightOne, Gives::Zero},  {OpKind::RemUI, When::RightOne, Gives::Zero},
    {OpKind::AndI, When::RightZero, Gives::Right}, {OpKind::AndI, When::RightOnes, Gives::Left},
    {OpKind::AndI, When::Alike, Gives::Left},      {OpKind::OrI, When::RightZero, Gives::Left},
    {OpKind::OrI, When::RightOnes, Gives::Right},  {OpKind::OrI, When::Alike, Gives::Left},
    {OpKind::XorI, When::RightZero, Gives::Left},  {OpKind::XorI, When::Alike, Gives::Zero},
    {OpKind::ShLI, When::RightZero, Gives::Left},  {OpKind::ShRSI, When::RightZero, Gives::Left},
    {OpKind::ShRUI, When::RightZero, Gives::Left}, {OpKind::MinSI, When::Alike, Gives::Left},
    {OpKind::MaxSI, When::Alike, Gives::Left},     {OpKind::MinUI, When::Alike, Gives::Left},
    {OpKind::MaxUI, When::Alike, Gives::Left},     {OpKind::AddF, When::RightMinusZero, Gives::Left},
    {OpKind::SubF, When::RightZero, Gives::Left},  {OpKind::MulF, When::RightOne, Gives::Left},
    {OpKind::DivF, When::RightOne, Gives::Left},   {OpKind::MinimumF, When::Alike, Gives::Left},
    {OpKind::MaximumF, When::Alike, Gives::Left},  {OpKind::MinNumF, When::Alike, Gives::Left},
    {OpKind::MaxNumF, When::Alike, Gives::Left},
};

bool isNumber(const Value &value, int64_t integer, double number) {
  const AttrValue *constant = constantValue(value);
  if (!constant) return false;
  const auto *f = std::get_if<double>(constant);
  const auto *i = std::get_if<int64_t>(constant);
  return f ? std::bit_cast<uint64_t>(*f) == std::bit_cast<uint64_t>(number) : i && *i == integer;
}

bool holds(When when, const Op &op) {
  Elem elem = op.operand(0)->type().elem();
  // Arithmetic rounds a tf32 operand, but replacing the op by its operand does not. The value 1 is excluded for i1, because its
  // only nonzero value is -1 when signed.
  if (elem == Elem::TF32 && when != When::Alike) return false;
  switch (when) {
  case When::RightZero: return isNumber(*op.operand(1), 0, 0.0);
  case When::RightOne: return elem != Elem::I1 && isNumber(*op.operand(1), 1, 1.0);
  case When::RightOnes: return isInteger(elem) && isNumber(*op.operand(1), wrapTo(elem, -1), 0.0);
  case When::RightMinusZero: return isFloat(elem) && isNumber(*op.operand(1), 0, -0.0);
  case When::Alike: return op.operand(0) == op.operand(1);
  }
  XT_UNREACHABLE("identity");
}

Value *constant(Op &op, Context &context, AttrValue value) {
  Builder builder(context, *op.block());
  builder.setBefore(&op);
  builder.setRange(op.range());
  Op *made = builder.create(OpKind::Constant, {}, {op.result()->type()});
  ConstantOp(*made).setValue(std::move(value), op.range());
  made->result()->setName(op.result()->name());
  return made->result();
}

Value *zero(Op &op, Context &context) {
  if (isFloat(op.result()->type().elem())) return constant(op, context, 0.0);
  return constant(op, context, int64_t{0});
}

Value *byIdentity(Op &op, Context &context) {
  for (const Identity &identity : kIdentities) {
    if (identity.kind != op.kind() || !holds(identity.when, op)) continue;
    switch (identity.gives) {
    case Gives::Left: return op.operand(0);
    case Gives::Right: return op.operand(1);
    case Gives::Zero: return zero(op, context);
    }
  }
  return nullptr;
}

// Folds an elementwise op whose operands are constants or splats of constants.
Value *folded(Op &op, Context &context) {
  if (!op.info().elementwise) return nullptr;
  std::vector<Number> operands;
  for (const Value *operand : op.operands()) {
    const AttrValue *value = constantValue(*operand);
    if (!value) return nullptr;
    operands.push_back(numberFromAttr(operand->type().elem(), *value));
  }
  std::optional<Number> result = evaluateScalar(elementwiseOp(op), operands);
  if (!result) return nullptr;
  if (isInteger(op.result()->type().elem())) return constant(op, context, result->i);
  // The printed form of a NaN loses its bits, which a later bitcast would make visible.
  if (op.kind() == OpKind::Bitcast && std::isnan(result->f)) return nullptr;
  return constant(op, context, result->f);
}

Value *selected(Op &op) {
  if (op.operand(1) == op.operand(2)) return op.operand(1);
  const AttrValue *condition = constantValue(*op.operand(0));
  return condition ? op.operand(std::get<int64_t>(*condition) ? 1 : 2) : nullptr;
}

Value *comparedWithItself(Op &op, Context &context) {
  if (op.operand(0) != op.operand(1)) return nullptr;
  std::string_view kind = wordText(CmpIOp(op).kind());
  return constant(op, context, int64_t{kind == "eq" || kind.ends_with("le") || kind.ends_with("ge")});
}

Value *knownExtent(Op &op, Context &context) {
  const AttrValue *dimension = constantValue(*op.operand(1));
  Type type = op.operand(0)->type();
  if (!dimension) return nullptr;
  int64_t d = std::get<int64_t>(*dimension);
  if (d < 0 || d >= type.rank() || type.extent(static_cast<int>(d)) == kDynamic) return nullptr;
  return constant(op, context, type.extent(static_cast<int>(d)));
}

Value *knownStride(Op &op, Context &context) {
  std::optional<int64_t> d = constantInt(*op.operand(1));
  Type type = op.operand(0)->type();
  if (!d || *d < 0 || *d >= type.rank()) return nullptr;
  int64_t stride = memrefStrides(type)[static_cast<size_t>(*d)];
  return stride == kDynamic ? nullptr : constant(op, context, stride);
}

Value *undoneNegation(Op &op) {
  const Op *inner = op.operand(0)->definingOp();
  return inner && inner->kind() == OpKind::NegF ? inner->operand(0) : nullptr;
}

Value *splatConstant(Op &op, Context &context) {
  const AttrValue *value = constantValue(*op.operand(0));
  return value ? constant(op, context, *value) : nullptr;
}

bool keepsOrder(const std::vector<int64_t> &permutation) {
  for (size_t d = 0; d < permutation.size(); ++d)
    if (permutation[d] != static_cast<int64_t>(d)) return false;
  return true;
}

// Folds ops that only move elements. A splat stays a splat, and an op that undoes its operand's op gives the original value.
Value *rearranged(Op &op, Context &context) {
  Value *from = op.operand(0);
  if (const AttrValue *value = constantValue(*from)) return constant(op, context, *value);
  if (from->type() == op.result()->type() && (op.kind() != OpKind::Transpose || keepsOrder(permutationOf(op)))) return from;
  const Op *inner = from->definingOp();
  if (!inner || inner->kind() != op.kind()) return nullptr;
  if (op.kind() == OpKind::Reshape) return inner->operand(0);
  if (op.kind() != OpKind::Transpose) return nullptr;
  std::vector<int64_t> first = permutationOf(*inner), second = permutationOf(op);
  for (size_t d = 0; d < second.size(); ++d)
    if (first[static_cast<size_t>(second[d])] != static_cast<int64_t>(d)) return nullptr;
  return inner->operand(0);
}

Value *special(Op &op, Context &context) {
  switch (op.kind()) {
  case OpKind::Transpose:
  case OpKind::Reshape:
  case OpKind::Broadcast:
  case OpKind::ExtractStridedSlice: return rearranged(op, context);
  case OpKind::Select: return selected(op);
  case OpKind::CmpI: return comparedWithItself(op, context);
  case OpKind::Dim: return knownExtent(op, context);
  case OpKind::Stride: return knownStride(op, context);
  case OpKind::NegF: return undoneNegation(op);
  case OpKind::Splat: return splatConstant(op, context);
  default: return nullptr;
  }
}

} // namespace

Value *simplifiedValue(Op &op, Context &context) {
  if (!isPure(op) || op.resultCount() != 1 || op.kind() == OpKind::Constant) return nullptr;
  Value *value = folded(op, context);
  if (!value) value = byIdentity(op, context);
  if (!value) value = special(op, context);
  // Before layout inference, an operand may have a layout while the result has none.
  return value && value->type() == op.result()->type() ? value : nullptr;
}

} // namespace xt
