// Ops that compute element by element.
#include "ir/views/scalar.h"
#include "targets/xe/emit/kernel_emitter.h"

#include "ir/base/check.h"

#include <algorithm>

namespace xt {
namespace {

// In 32 bits these ops give the low half of their 64-bit result, or the same result if the operands fit.
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

void XeKernelEmitter::emitConstant(const Op &op) {
  Type type = op.result()->type();
  LlvmValue *value = ops_.constant(type.elem(), ConstantOp(op).value(), 0);
  if (type.isVector())
    fragments_[op.result()] = splat(value, static_cast<size_t>(type.elementCount()));
  else if (type.isIndex())
    setIndex(op.result(), value);
  else
    parts_[op.result()] = {value};
}

// Emits an op on indices, in 32 bits if that is enough. Returns false for an op that RegisterOps handles.
bool XeKernelEmitter::emitIndexOp(const Op &op) {
  const Value *first = op.operand(0), *result = op.result();
  TypeRule rule = op.info().typeRule;
  bool small = std::all_of(op.operands().begin(), op.operands().end(),
                           [&](const Value *value) { return value->type().isIndex() && narrow(value); });
  if (rule == TypeRule::Select && result->type().isIndex()) {
    bool into = narrow(result);
    setIndex(result, b.CreateSelect(scalar(first), resize(scalar(op.operand(1)), into), resize(scalar(op.operand(2)), into)));
    return true;
  }
  if (!first->type().isIndex()) {
    if (rule != TypeRule::Cast || !result->type().isIndex()) return false;
    setIndex(result, asIndex(first));
    return true;
  }
  if (rule == TypeRule::Elementwise && small && narrow(result) && staysNarrow(op.kind())) {
    parts_[result] = {ops_.combine(op.kind(), Elem::I32, scalar(first), scalar(op.operand(1)))};
    return true;
  }
  Parts operands;
  for (const Value *value : op.operands())
    operands.push_back(small && rule == TypeRule::Compare ? scalar(value) : wide(scalar(value)));
  if (rule == TypeRule::Cast && op.kind() == OpKind::IndexCast && isInteger(result->type().elem())) {
    parts_[result] = {ops_.indexTo(operands[0], result->type().elem())};
    return true;
  }
  LlvmValue *value = ops_.elementwise(op, operands);
  if (result->type().isIndex())
    setIndex(result, value);
  else
    parts_[result] = {value};
  return true;
}

// The possible values of the elements of a vector of indices.
Interval XeKernelEmitter::rangeOfElements(const Value *vector) const {
  const Op *op = vector->definingOp();
  if (op && op->info().typeRule == TypeRule::Splat && op->operand(0)->type().isIndex()) return ranges_.of(op->operand(0));
  if (!op || op->info().typeRule != TypeRule::Iota || !vector->type().isVector()) return {};
  int64_t dim = IotaOp(*op).dim();
  return {0, vector->type().extent(static_cast<int>(dim)) - 1};
}

// Decides comparisons at compile time: masks at the edge of a matrix often hold for all rows, or all columns.
std::optional<bool> XeKernelEmitter::decidedAlready(const Op &op) const {
  if (op.kind() != OpKind::CmpI || CmpIOp(op).kind() != CmpIKind::Slt || op.operand(0)->type().elem() != Elem::Index)
    return std::nullopt;
  Interval x = rangeOfElements(op.operand(0)), y = rangeOfElements(op.operand(1));
  if (x.high < y.low) return true;
  return x.low >= y.high ? std::optional(false) : std::nullopt;
}

void XeKernelEmitter::emitElementwise(const Op &op) {
  Type type = op.result()->type();
  if (!type.isVector()) {
    if (emitIndexOp(op)) return;
    Parts operands;
    for (const Value *value : op.operands()) operands.push_back(scalar(value));
    parts_[op.result()] = {ops_.elementwise(op, operands)};
    return;
  }
  auto count = static_cast<size_t>(type.elementCount());
  if (std::optional<bool> known = decidedAlready(op)) {
    fragments_[op.result()] = splat(b.getInt1(*known), count);
    return;
  }
  unsigned bits = bitsOf(ops_.type(type.elem(), 0));
  for (const Value *operand : op.operands()) bits = std::max(bits, bitsOf(ops_.type(operand->type().elem(), 0)));
  std::vector<Fragment> given;
  for (const Value *operand : op.operands())
    given.push_back(operand->type().isVector() ? fragment(operand) : splat(scalar(operand), count));
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
    Parts operands;
    if (length > 1 && repeats(k, length)) {
      for (const Fragment &operand : given) operands.push_back(scalarOf(b, operand[k]));
      Fragment same = splat(ops_.elementwise(op, operands), length);
      result.insert(result.end(), same.begin(), same.end());
      k += length;
      continue;
    }
    for (const Fragment &operand : given) operands.push_back(together(b, std::span(operand).subspan(k, length)));
    append(result, ops_.elementwise(op, operands));
    k += length;
  }
  fragments_[op.result()] = std::move(result);
}

} // namespace xt
