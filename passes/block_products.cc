#include "passes/block_products.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/context.h"
#include "ir/op_kinds.h"
#include "ir/views/xegpu.h"

namespace xt {

namespace {

// The shape of the sum of a product whose result has this shape.
std::vector<int64_t> sumShape(const MmaChoice &choice, std::vector<int64_t> block) {
  if (choice.shape && !choice.fewerRows) block[0] = choice.shape->m;
  if (choice.shape) block[1] = choice.shape->n;
  return block;
}

} // namespace

// The blocks of operand `a` (number 0) or `b` (number 1): padded with zeros, converted to the element type of the instruction,
// and for `b` packed.
Values BlockProducts::operandBlocks(const Op &op, size_t operand, const BlockGrid &grid, const MmaChoice &choice) {
  const MmaShape *shape = choice.shape;
  const Value *value = op.operand(operand);
  if (classes_.packed(value)) {
    XT_CHECK(grid == classes_.grid(value), "packed blocks are those of the product");
    return values_.of(value);
  }
  Values blocks;
  for (size_t i = 0; i < grid.count(); ++i) {
    std::vector<int64_t> whole = grid.shape(i);
    if (shape) whole[operand == 0 ? 1 : 0] = shape->k;
    if (shape && operand == 1) whole[1] = shape->n;
    if (shape && operand == 0 && !choice.fewerRows) whole[0] = shape->m;
    Value *block = parts_.region(value, grid.origin(i), grid.shape(i), std::move(whole));
    Elem elem = !shape ? value->type().elem() : operand == 0 ? shape->a : shape->b;
    if (elem != value->type().elem()) block = b_.value(OpKind::ExtF, {block}, b_.context().withElem(block->type(), elem));
    bool packs = shape && operand == 1 && elemInfo(elem).bits <= 16;
    blocks.push_back(packs ? parts_.packed(block) : block);
  }
  return blocks;
}

// The accumulator's blocks, padded to the size of the instruction and in its element type; null pointers if the op has no
// accumulator.
Values BlockProducts::accumulatorBlocks(const Op &op, const BlockGrid &grid, const MmaChoice &choice) {
  const MmaShape *shape = choice.shape;
  if (op.operandCount() <= 2) return Values(grid.count(), nullptr);
  Values sums = parts_.inGrid(op.operand(2), grid);
  for (size_t i = 0; i < grid.count(); ++i) {
    std::vector<int64_t> size = grid.shape(i), whole = sumShape(choice, size);
    Value *&sum = sums[i];
    if (shape && shape->result != sum->type().elem())
      sum = b_.value(OpKind::ExtF, {sum}, b_.context().withElem(sum->type(), shape->result));
    if (whole != size) sum = parts_.inserted(sum, nullptr, whole, {0, 0});
  }
  return sums;
}

// The outer loop steps along K, so that adjacent products share an operand and none waits for the previous one.
void BlockProducts::tileMma(const Op &op) {
  MmaChoice choice = chooseMma(target_, op);
  const MmaShape *shape = choice.shape;
  if (!shape)
    diagnostics_.report(DiagCode::BlockRemark, op.range(),
                        str("`tile_mma` multiplies and adds element by element: ", choice.reason));
  Elem sumElem = op.result()->type().elem(), productElem = shape ? shape->result : sumElem;
  const BlockGrid &own = classes_.grid(op.result());
  BlockGrid out = classes_.layout(op.result(), op.result()->type().shape()) ? classes_.productGrid(op) : own;
  Lengths k = cutEvenly(op.operand(0)->type().extent(1), shape ? shape->k : kProductDepth);
  BlockGrid left{{out.dims[0], k}}, lower{{k, out.dims[1]}};
  Values as = operandBlocks(op, 0, left, choice), bs = operandBlocks(op, 1, lower, choice),
         sums = accumulatorBlocks(op, out, choice);
  for (size_t step = 0; step < k.size(); ++step)
    for (size_t n = 0; n < out.dims[1].size(); ++n)
      for (size_t m = 0; m < out.dims[0].size(); ++m) {
        Value *&sum = sums[out.number({m, n})];
        Values operands = {as[left.number({m, step})], bs[lower.number({step, n})]};
        if (sum) operands.push_back(sum);
        Type type = b_.context().vector(sumShape(choice, out.shape(out.number({m, n}))), productElem);
        Op *product = b_.create(shape ? OpKind::Dpas : OpKind::TileMma, std::move(operands), {type});
        if (shape) DpasOp(*product).setMode(DpasMode::Vc);
        sum = product->result();
      }
  for (size_t i = 0; i < out.count(); ++i) {
    sums[i] = parts_.slice(sums[i], {0, 0}, out.shape(i));
    if (productElem != sumElem) sums[i] = b_.value(OpKind::TruncF, {sums[i]}, b_.context().withElem(sums[i]->type(), sumElem));
  }
  values_.bind(op.result(), parts_.reblocked(sums, out, own));
}

} // namespace xt
