#include "targets/llvm/lane/elementwise.h"

#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

#include <algorithm>

namespace xt {
namespace {

// Whether the op, computed in 32 bits, gives the low half of its 64-bit result, or the same result if the operands fit.
bool staysNarrow(OpKind kind) {
  switch (kind) {
  case OpKind::AddI:
  case OpKind::SubI:
  case OpKind::MulI:
  case OpKind::DivSI:
  case OpKind::RemSI:
  case OpKind::AndI:
  case OpKind::OrI:
  case OpKind::XorI:
  case OpKind::MinSI:
  case OpKind::MaxSI:
  case OpKind::CeilDivSI:
  case OpKind::FloorDivSI: return true;
  default: return false;
  }
}

unsigned bitsOf(const llvm::Type *type) { return type->getScalarSizeInBits(); }

} // namespace

void LaneElementwise::emitConstant(const Op &op) {
  Type type = op.result()->type();
  LlvmValue *value = ops.constant(type.elem(), ConstantOp(op).value(), 0);
  if (type.isVector())
    v.setFragment(op.result(), v.splat(value, static_cast<size_t>(type.elementCount())));
  else if (type.isIndex())
    v.setIndex(op.result(), value);
  else
    v.setParts(op.result(), {value});
}

void LaneElementwise::emitSplat(const Op &op) {
  LlvmValue *value = v.scalar(op.operand(0));
  if (op.operand(0)->type().isIndex()) value = v.wide(value);
  v.setFragment(op.result(), v.splat(value, static_cast<size_t>(op.result()->type().elementCount())));
}

// Emits an op on indices, in 32 bits if that is enough. Returns false for an op that RegisterOps handles.
bool LaneElementwise::emitIndexOp(const Op &op) {
  const Value *first = op.operand(0), *result = op.result();
  TypeRule rule = op.info().typeRule;
  bool small = std::all_of(op.operands().begin(), op.operands().end(),
                           [&](const Value *value) { return value->type().isIndex() && v.narrow(value); });
  if (rule == TypeRule::Select && result->type().isIndex()) {
    bool into = v.narrow(result);
    v.setIndex(result, b.CreateSelect(v.scalar(first), v.resize(v.scalar(op.operand(1)), into),
                                      v.resize(v.scalar(op.operand(2)), into)));
    return true;
  }
  if (!first->type().isIndex()) {
    if (rule != TypeRule::Cast || !result->type().isIndex()) return false;
    v.setIndex(result, v.asIndex(first));
    return true;
  }
  bool unsignedToo = op.kind() == OpKind::RemUI && c.ranges.of(first).low >= 0 && c.ranges.of(op.operand(1)).low >= 0;
  if (rule == TypeRule::Elementwise && small && v.narrow(result) && (staysNarrow(op.kind()) || unsignedToo)) {
    v.setParts(result, {ops.combine(op.kind(), Elem::I32, v.scalar(first), v.scalar(op.operand(1)))});
    return true;
  }
  LaneParts operands;
  for (const Value *value : op.operands())
    operands.push_back(small && rule == TypeRule::Compare ? v.scalar(value) : v.wide(v.scalar(value)));
  if (rule == TypeRule::Cast && op.kind() == OpKind::IndexCast && isInteger(result->type().elem())) {
    v.setParts(result, {ops.indexTo(operands[0], result->type().elem())});
    return true;
  }
  LlvmValue *value = ops.elementwise(op, operands);
  if (result->type().isIndex())
    v.setIndex(result, value);
  else
    v.setParts(result, {value});
  return true;
}

// A loop counts the sum of what it counts and what is known before it.
void LaneElementwise::noteCounted(const Op &op) {
  if (op.kind() != OpKind::AddI || !op.result()->type().isIndex()) return;
  for (size_t i = 0; i < 2; ++i) {
    auto found = c.counted.find(v.scalar(op.operand(i)));
    LlvmValue *other = v.scalar(op.operand(1 - i));
    if (found == c.counted.end() || !found->second.isBefore(other)) continue;
    CountedIndex sum = found->second;
    sum.first.push_back(other);
    c.counted[v.scalar(op.result())] = std::move(sum);
    return;
  }
}

// The range of the elements of a vector of indices.
Interval LaneElementwise::rangeOfElements(const Value *vector) const {
  const Op *op = vector->definingOp();
  if (op && op->info().typeRule == TypeRule::Splat && op->operand(0)->type().isIndex()) return c.ranges.of(op->operand(0));
  if (!op || op->info().typeRule != TypeRule::Iota || !vector->type().isVector()) return {};
  int64_t dim = IotaOp(*op).dim();
  return {0, vector->type().extent(static_cast<int>(dim)) - 1};
}

// The result of a comparison if it is known at compile time: masks at the edge of a matrix often hold for all rows or columns.
std::optional<bool> LaneElementwise::decidedAlready(const Op &op) const {
  if (op.kind() != OpKind::CmpI || CmpIOp(op).kind() != CmpIKind::Slt || op.operand(0)->type().elem() != Elem::Index)
    return std::nullopt;
  Interval x = rangeOfElements(op.operand(0)), y = rangeOfElements(op.operand(1));
  if (x.high < y.low) return true;
  return x.low >= y.high ? std::optional(false) : std::nullopt;
}

void LaneElementwise::emitElementwise(const Op &op) {
  Type type = op.result()->type();
  if (!type.isVector()) {
    if (emitIndexOp(op)) return noteCounted(op);
    LaneParts operands;
    for (const Value *value : op.operands()) operands.push_back(v.scalar(value));
    v.setParts(op.result(), {ops.elementwise(op, operands)});
    return;
  }
  auto count = static_cast<size_t>(type.elementCount());
  if (std::optional<bool> known = decidedAlready(op)) {
    v.setFragment(op.result(), v.splat(b.getInt1(*known), count));
    return;
  }
  unsigned bits = bitsOf(ops.type(type.elem(), 0));
  for (const Value *operand : op.operands()) bits = std::max(bits, bitsOf(ops.type(operand->type().elem(), 0)));
  std::vector<Fragment> given;
  for (const Value *operand : op.operands())
    given.push_back(operand->type().isVector() ? v.fragment(operand) : v.splat(v.scalar(operand), count));
  // Vectors that repeat one scalar, such as the operands of masks, are computed once.
  auto repeats = [&](size_t k, size_t length) {
    return std::all_of(given.begin(), given.end(), [&](const Fragment &operand) {
      return std::all_of(&operand[k], &operand[k] + length,
                         [&](const FragmentElement &element) { return element == operand[k]; });
    });
  };
  Fragment result;
  for (size_t k = 0; k < count;) {
    size_t length = chunkLength(bits, count - k);
    LaneParts operands;
    if (length > 1 && repeats(k, length)) {
      for (const Fragment &operand : given) operands.push_back(scalarOf(b, operand[k]));
      Fragment same = v.splat(ops.elementwise(op, operands), length);
      result.insert(result.end(), same.begin(), same.end());
      k += length;
      continue;
    }
    for (const Fragment &operand : given) operands.push_back(together(b, std::span(operand).subspan(k, length)));
    append(result, ops.elementwise(op, operands));
    k += length;
  }
  v.setFragment(op.result(), std::move(result));
}

} // namespace xt
