#include "targets/llvm/lane/products.h"

namespace xt {

const Op *LaneProducts::firstWithoutInstruction() {
  const Op *found = nullptr;
  walk(c.kernel.body, [&](const Op &op) {
    if (!found && op.kind() == OpKind::Dpas && !c.device.hasProduct(c, op)) found = &op;
  });
  return found;
}

void LaneProducts::emitDpas(const Op &op) { v.setFragment(op.result(), c.device.product(c, op)); }

// Used if there is no instruction: each lane has all of a, and multiplies its columns of b. 16-bit sums are accumulated in f32
// and rounded once.
void LaneProducts::emitTileMma(const Op &op) {
  Type a = op.operand(0)->type(), result = op.result()->type();
  Elem elem = result.elem(), work = isInteger(elem) || elem == Elem::F64 ? elem : Elem::F32;
  auto rows = static_cast<size_t>(a.extent(0)), depth = static_cast<size_t>(a.extent(1)),
       columns = static_cast<size_t>(result.extent(1));
  auto widened = [&](size_t operand) {
    Elem own = op.operand(operand)->type().elem();
    Fragment wide;
    for (LlvmValue *part : v.chunksOf(v.fragment(op.operand(operand)), own))
      append(wide, own == Elem::F64 ? part : ops.mmaOperand(part, own));
    return wide;
  };
  Fragment left = widened(0), right = widened(1), sums;
  if (op.operandCount() == 2)
    sums = v.splat(ops.zero(work, 0), rows * columns);
  else
    for (LlvmValue *part : v.chunksOf(v.fragment(op.operand(2)), elem))
      append(sums, isFloat(elem) ? ops.convertFloat(part, elem, work) : part);
  unsigned bits = ops.type(work, 0)->getScalarSizeInBits();
  Fragment done(rows * columns);
  for (size_t n = 0; n < columns; ++n)
    for (size_t r = 0; r < rows;) { // several rows of a column at a time
      size_t length = chunkLength(bits, rows - r);
      Fragment part;
      for (size_t i = 0; i < length; ++i) part.push_back(sums[(r + i) * columns + n]);
      LlvmValue *sum = together(b, part);
      for (size_t k = 0; k < depth; ++k) {
        Fragment x;
        for (size_t i = 0; i < length; ++i) x.push_back(left[(r + i) * depth + k]);
        LlvmValue *factor = together(b, x), *other = together(b, v.splat(scalarOf(b, right[k * columns + n]), length));
        sum = isInteger(work) ? b.CreateAdd(sum, b.CreateMul(factor, other)) : b.CreateFAdd(sum, b.CreateFMul(factor, other));
      }
      if (isFloat(elem)) sum = ops.convertFloat(sum, work, elem);
      Fragment own;
      append(own, sum);
      for (size_t i = 0; i < length; ++i) done[(r + i) * columns + n] = own[i];
      r += length;
    }
  v.setFragment(op.result(), std::move(done));
}

} // namespace xt
