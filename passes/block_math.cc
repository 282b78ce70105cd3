// Products, and ops whose result elements come from other positions of their operand.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/combine.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "ir/views/tile.h"
#include "ir/views/xegpu.h"
#include "passes/blocking.h"

#include <algorithm>
#include <map>

namespace xt {

namespace {

std::vector<int64_t> shapeOf(Type type) { return {type.shape().begin(), type.shape().end()}; }

} // namespace

// --- products --------------------------------------------------------------------------------------------------------

// The blocks of a (operand 0) or b as the product takes them: padded with zeros, in its element type, b packed.
Values Blocking::mmaOperands(const Op &op, size_t operand, const BlockGrid &grid, const MmaShape *shape) {
  const Value *value = op.operand(operand);
  if (classes_.packed(value)) {
    XT_CHECK(grid == classes_.grid(value), "packed blocks are those of the product");
    return of(value);
  }
  Values blocks;
  for (size_t i = 0; i < grid.count(); ++i) {
    std::vector<int64_t> whole = grid.shape(i);
    if (shape) whole[operand == 0 ? 1 : 0] = shape->k;
    if (shape && operand == 1) whole[1] = shape->n;
    Value *block = region(value, grid.origin(i), grid.shape(i), std::move(whole));
    Elem elem = !shape ? value->type().elem() : operand == 0 ? shape->a : shape->b;
    if (elem != value->type().elem()) block = make(OpKind::ExtF, {block}, context_.withElem(block->type(), elem));
    bool packs = shape && operand == 1 && elemInfo(elem).bits <= 16;
    blocks.push_back(packs ? packed(block) : block);
  }
  return blocks;
}

// The accumulator's blocks, padded to the width of the product and in its element type; null if the op has no accumulator.
Values Blocking::mmaSums(const Op &op, const BlockGrid &grid, const MmaShape *shape) {
  Values sums(grid.count(), nullptr), accumulator;
  if (op.operandCount() > 2) accumulator = inGrid(op.operand(2), grid);
  for (size_t i = 0; i < grid.count() && op.operandCount() > 2; ++i) {
    std::vector<int64_t> size = grid.shape(i);
    sums[i] = accumulator[i];
    if (shape && shape->result != sums[i]->type().elem())
      sums[i] = make(OpKind::ExtF, {sums[i]}, context_.withElem(sums[i]->type(), shape->result));
    if (shape && size[1] != shape->n) sums[i] = inserted(sums[i], zeros({size[0], shape->n}, sums[i]->type().elem()), {0, 0});
  }
  return sums;
}

// Steps along K in the outer loop, so that adjacent products share an operand and none waits for the previous one.
void Blocking::tileMma(const Op &op) {
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
  Values as = mmaOperands(op, 0, left, shape), bs = mmaOperands(op, 1, lower, shape), sums = mmaSums(op, out, shape);
  for (size_t step = 0; step < k.size(); ++step)
    for (size_t n = 0; n < out.dims[1].size(); ++n)
      for (size_t m = 0; m < out.dims[0].size(); ++m) {
        Value *&sum = sums[out.number({m, n})];
        Values operands = {as[left.number({m, step})], bs[lower.number({step, n})]};
        if (sum) operands.push_back(sum);
        Type type = context_.vector({out.dims[0][m], shape ? shape->n : out.dims[1][n]}, productElem);
        Op *product = create(shape ? OpKind::Dpas : OpKind::TileMma, std::move(operands), {type});
        if (shape) DpasOp(*product).setMode(DpasMode::Vc);
        sum = product->result();
      }
  for (size_t i = 0; i < out.count(); ++i) {
    sums[i] = slice(sums[i], {0, 0}, out.shape(i));
    if (productElem != sumElem) sums[i] = make(OpKind::TruncF, {sums[i]}, context_.withElem(sums[i]->type(), sumElem));
  }
  bind(op.result(), reblocked(sums, out, own));
}

// --- layouts ---------------------------------------------------------------------------------------------------------

// Converts parts that are whole blocks on both sides.
void Blocking::convertLayout(const Op &op) {
  const Value *from = op.operand(0), *to = op.result();
  BlockGrid parts;
  for (size_t d = 0; d < classes_.grid(to).dims.size(); ++d)
    parts.dims.push_back(commonLengths(classes_.grid(from).dims[d], classes_.grid(to).dims[d]));
  Values results;
  for (size_t k = 0; k < parts.count(); ++k) {
    std::vector<int64_t> shape = parts.shape(k);
    Value *part = region(from, parts.origin(k), shape);
    part = conversion_.convert(part, classes_.layout(from, shape), false); // it may be put together from blocks
    results.push_back(conversion_.convert(part, classes_.layout(to, shape), ConvertLayoutOp(op).sharedMemoryConversion()));
  }
  bind(to, reblocked(results, parts, classes_.grid(to)));
}

// --- transposes ------------------------------------------------------------------------------------------------------

void Blocking::transpose(const Op &op) {
  std::vector<int64_t> permutation = permutationOf(op);
  const BlockGrid &to = classes_.grid(op.result());
  Values results;
  for (size_t k = 0; k < to.count(); ++k) {
    std::vector<int64_t> origin = to.origin(k), shape = to.shape(k), from(origin.size()), fromShape(origin.size());
    for (size_t d = 0; d < permutation.size(); ++d) {
      auto p = static_cast<size_t>(permutation[d]);
      from[p] = origin[d], fromShape[p] = shape[d];
    }
    Value *source = region(op.operand(0), from, fromShape);
    bool one = std::count(shape.begin(), shape.end(), 1) == static_cast<std::ptrdiff_t>(shape.size()) - 1;
    results.push_back(one ? reshaped(source, shape) : transposed(source, permutation));
  }
  bind(op.result(), std::move(results));
}

// --- reductions ------------------------------------------------------------------------------------------------------

Value *Blocking::reduceBlock(const Op &op, Value *block, int64_t size) {
  size_t dim = dimensionOf(op);
  std::vector<int64_t> shape = shapeOf(block->type());
  bool all = shape[dim] == size;
  shape[dim] /= size;
  if (size == 1) return block;
  Op *reduce = create(OpKind::Reduction, {block}, {context_.vector(std::move(shape), block->type().elem())});
  reduce->copyAttrs(op, attr_names::kReductionSize);
  if (!all) ReductionOp(*reduce).setReductionSize(size);
  return reduce->result();
}

// Reduces the region to one element along the dimension. Blocks of the same shape are first combined element by element.
Value *Blocking::reduceRegion(const Op &op, std::vector<int64_t> origin, std::vector<int64_t> shape) {
  size_t dim = dimensionOf(op);
  OpKind combine = *combiningOp(op);
  auto merge = [&](Value *x, Value *y) { return x ? make(combine, {x, y}, y->type()) : y; };
  std::map<int64_t, Value *> byLength;
  int64_t end = origin[dim] + shape[dim], start = 0;
  for (int64_t length : classes_.grid(op.operand(0)).dims[dim]) {
    int64_t from = std::max(start, origin[dim]), to = std::min(start + length, end);
    start += length;
    if (from >= to) continue;
    origin[dim] = from, shape[dim] = to - from;
    Value *&sum = byLength[to - from];
    sum = merge(sum, region(op.operand(0), origin, shape));
  }
  Value *result = nullptr;
  for (auto &[length, sum] : byLength) result = merge(result, reduceBlock(op, sum, length));
  return result;
}

void Blocking::reduction(const Op &op) {
  size_t dim = dimensionOf(op);
  Type from = op.operand(0)->type(), to = op.result()->type();
  int64_t size = from.extent(static_cast<int>(dim)) / to.extent(static_cast<int>(dim));
  const BlockGrid &grid = classes_.grid(op.result());
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k), shape = grid.shape(k);
    int64_t count = shape[dim];
    origin[dim] *= size, shape[dim] *= size;
    // Several short runs are reduced together in one block.
    if (count > 1 && shape[dim] <= 2 * classes_.lanes()) {
      results.push_back(reduceBlock(op, region(op.operand(0), origin, shape), size));
      continue;
    }
    Value *all = nullptr;
    shape[dim] = size;
    for (int64_t i = 0; i < count; ++i, origin[dim] += size) {
      Value *part = reduceRegion(op, origin, shape);
      if (count == 1) {
        all = part;
        break;
      }
      std::vector<int64_t> place(2, 0);
      place[dim] = i;
      all = inserted(part, all ? all : zeros(grid.shape(k), part->type().elem()), place);
    }
    results.push_back(all);
  }
  bind(op.result(), std::move(results));
}

// --- broadcasts ------------------------------------------------------------------------------------------------------

Value *Blocking::broadcastBlock(const Op &op, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape) {
  size_t dim = dimensionOf(op);
  Type from = op.operand(0)->type(), to = op.result()->type();
  int64_t size = to.extent(static_cast<int>(dim)) / from.extent(static_cast<int>(dim));
  auto stretched = [&](Value *source, int64_t length) {
    std::vector<int64_t> result = shape;
    result[dim] = length;
    if (result == shapeOf(source->type())) return source;
    int64_t count = source->type().extent(static_cast<int>(dim));
    Op *made = create(OpKind::Broadcast, {source}, {context_.vector(std::move(result), from.elem())});
    BroadcastOp(*made).setDim(BroadcastOp(op).dim());
    if (count != 1) BroadcastOp(*made).setBroadcastSize(length / count);
    return made->result();
  };
  std::vector<int64_t> place = origin, part = shape;
  if (origin[dim] % size == 0 && shape[dim] % size == 0) {
    place[dim] /= size, part[dim] /= size;
    return stretched(region(op.operand(0), place, part), shape[dim]);
  }
  // Broadcasts each element of the operand whose copies are in this block.
  Value *result = nullptr;
  part[dim] = 1;
  for (int64_t at = origin[dim], end = origin[dim] + shape[dim]; at < end;) {
    int64_t length = std::min((at / size + 1) * size, end) - at;
    place[dim] = at / size;
    Value *copies = stretched(region(op.operand(0), place, part), length);
    if (length == shape[dim]) return copies;
    std::vector<int64_t> in(2, 0);
    in[dim] = at - origin[dim];
    result = inserted(copies, result ? result : zeros(shape, from.elem()), in);
    at += length;
  }
  return result;
}

void Blocking::broadcast(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  size_t dim = dimensionOf(op);
  bool single = op.operand(0)->type().extent(static_cast<int>(dim)) == 1;
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, Value *> made; // by origin and shape
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k), shape = grid.shape(k);
    if (single) origin[dim] = 0; // the same everywhere
    if (single && shape[dim] < op.result()->type().extent(static_cast<int>(dim))) {
      Value *&known = made[{origin, shape}];
      if (!known) {
        std::vector<int64_t> part = shape;
        part[dim] = 1;
        Value *source = region(op.operand(0), origin, part);
        if (shape[dim] == 1) {
          known = source;
        } else {
          Op *copies = create(OpKind::Broadcast, {source}, {context_.vector(shape, source->type().elem())});
          BroadcastOp(*copies).setDim(BroadcastOp(op).dim());
          known = copies->result();
        }
      }
      results.push_back(known);
      continue;
    }
    results.push_back(broadcastBlock(op, origin, shape));
  }
  bind(op.result(), std::move(results));
}

// --- reshapes --------------------------------------------------------------------------------------------------------

// A reshape keeps row-major order: each block is assembled from runs of adjacent elements of the operand's rows.
void Blocking::reshape(const Op &op) {
  std::vector<int64_t> from = shapeOf(op.operand(0)->type()), to = shapeOf(op.result()->type());
  const BlockGrid &grid = classes_.grid(op.result()), &source = classes_.grid(op.operand(0));
  if (grid.count() == 1 && source.count() == 1) return bind(op.result(), {reshaped(one(op.operand(0)), to)});
  auto squeezed = [](std::vector<int64_t> shape) { return std::erase(shape, 1), shape; };
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k), shape = grid.shape(k);
    if (squeezed(from) == squeezed(to)) { // only extents of 1 come or go
      std::vector<int64_t> at, part;
      size_t d = 0;
      for (int64_t extent : from) {
        while (extent != 1 && to[d] == 1) ++d;
        at.push_back(extent == 1 ? 0 : origin[d]);
        part.push_back(extent == 1 ? 1 : shape[d]);
        if (extent != 1) ++d;
      }
      results.push_back(reshaped(region(op.operand(0), at, part), shape));
      continue;
    }
    Value *result = nullptr;
    BlockGrid rows; // the rows of the block; each is one run of the result
    for (size_t d = 0; d < shape.size(); ++d)
      rows.dims.push_back(d + 1 == shape.size() ? Lengths{shape[d]} : Lengths(static_cast<size_t>(shape[d]), 1));
    for (size_t r = 0; r < rows.count(); ++r) {
      std::vector<int64_t> in = rows.origin(r), row(shape.size(), 1);
      int64_t linear = 0;
      for (size_t d = 0; d < to.size(); ++d) linear = linear * to[d] + origin[d] + in[d];
      for (int64_t left = shape.back(); left > 0;) {
        std::vector<int64_t> at(from.size()), part(from.size(), 1);
        int64_t rest = linear;
        for (size_t d = from.size(); d-- > 0; rest /= from[d]) at[d] = rest % from[d];
        int64_t length = part.back() = std::min(left, from.back() - at.back());
        row.back() = length;
        Value *run = reshaped(region(op.operand(0), at, part), row);
        if (row == shape)
          result = run;
        else
          result = inserted(run, result ? result : zeros(shape, run->type().elem()), in);
        in.back() += length, linear += length, left -= length;
      }
    }
    results.push_back(result);
  }
  bind(op.result(), std::move(results));
}

} // namespace xt
