#include "passes/block_movement.h"

#include "ir/combine.h"
#include "ir/context.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "passes/vector_slices.h"

#include <algorithm>
#include <map>

namespace xt {

// --- layouts ---------------------------------------------------------------------------------------------------------

// Converts parts that are whole blocks on both sides.
void BlockMovement::convertLayout(const Op &op) {
  const Value *from = op.operand(0), *to = op.result();
  BlockGrid parts;
  for (size_t d = 0; d < classes_.grid(to).dims.size(); ++d)
    parts.dims.push_back(commonLengths(classes_.grid(from).dims[d], classes_.grid(to).dims[d]));
  Values results;
  for (size_t k = 0; k < parts.count(); ++k) {
    std::vector<int64_t> shape = parts.shape(k);
    Value *part = parts_.region(from, parts.origin(k), shape);
    part = conversion_.convert(part, classes_.layout(from, shape), false); // it may be put together from blocks
    results.push_back(conversion_.convert(part, classes_.layout(to, shape), ConvertLayoutOp(op).sharedMemoryConversion()));
  }
  values_.bind(to, parts_.reblocked(results, parts, classes_.grid(to)));
}

// --- slices ----------------------------------------------------------------------------------------------------------

void BlockMovement::extractSlice(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  const std::vector<int64_t> &offsets = ExtractStridedSliceOp(op).offsets();
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k);
    for (size_t d = 0; d < origin.size(); ++d) origin[d] += offsets[d];
    results.push_back(parts_.region(op.operand(0), origin, grid.shape(k)));
  }
  values_.bind(op.result(), std::move(results));
}

// Blocks that the inserted part does not overlap stay as they are in the vector. A part of several blocks that is itself a slice is
// taken from where it was cut, because the blocks of a slice of odd extents would be cut anew.
void BlockMovement::insertSlice(const Op &op) {
  const Value *part = op.operand(0), *from = part;
  std::vector<int64_t> begin(static_cast<size_t>(part->type().rank()), 0);
  const Op *extract = part->definingOp();
  if (extract && extract->kind() == OpKind::ExtractStridedSlice && classes_.grid(part).count() > 1) {
    from = extract->operand(0);
    begin = ExtractStridedSliceOp(*extract).offsets();
  }
  const BlockGrid &grid = classes_.grid(op.result());
  const std::vector<int64_t> &offsets = InsertStridedSliceOp(op).offsets();
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k), shape = grid.shape(k), inPart = origin, inBlock = origin, common = shape;
    bool reaches = true;
    for (size_t d = 0; d < origin.size(); ++d) {
      int64_t first = std::max(origin[d], offsets[d]),
              end = std::min(origin[d] + shape[d], offsets[d] + part->type().extent(static_cast<int>(d)));
      inPart[d] = begin[d] + first - offsets[d], inBlock[d] = first - origin[d], common[d] = end - first;
      reaches &= first < end;
    }
    bool covered = reaches && common == shape;
    Value *block = covered ? nullptr : parts_.region(op.operand(1), origin, shape);
    if (reaches) {
      Value *own = parts_.region(from, inPart, common);
      block = covered ? own : withSlice(b_, own, block, inBlock);
    }
    results.push_back(block);
  }
  values_.bind(op.result(), std::move(results));
}

// --- transposes ------------------------------------------------------------------------------------------------------

void BlockMovement::transpose(const Op &op) {
  std::vector<int64_t> permutation = permutationOf(op);
  const BlockGrid &to = classes_.grid(op.result());
  Values results;
  for (size_t k = 0; k < to.count(); ++k) {
    std::vector<int64_t> origin = to.origin(k), shape = to.shape(k), from(origin.size()), fromShape(origin.size());
    for (size_t d = 0; d < permutation.size(); ++d) {
      auto p = static_cast<size_t>(permutation[d]);
      from[p] = origin[d], fromShape[p] = shape[d];
    }
    Value *source = parts_.region(op.operand(0), from, fromShape);
    bool one = std::count(shape.begin(), shape.end(), 1) == static_cast<std::ptrdiff_t>(shape.size()) - 1;
    results.push_back(one ? parts_.reshaped(source, shape) : parts_.transposed(source, permutation));
  }
  values_.bind(op.result(), std::move(results));
}

// --- reductions ------------------------------------------------------------------------------------------------------

// Reduces each `size` adjacent elements of a block along the dimension to one.
Value *BlockMovement::reduceBlock(const Op &op, Value *block, int64_t size) {
  size_t dim = dimensionOf(op);
  std::vector<int64_t> shape = shapeOf(block->type());
  bool all = shape[dim] == size;
  shape[dim] /= size;
  if (size == 1) return block;
  Op *reduce = b_.create(OpKind::Reduction, {block}, {b_.context().vector(std::move(shape), block->type().elem())});
  copyAttrs(op, *reduce, attr_names::kReductionSize);
  if (!all) ReductionOp(*reduce).setReductionSize(size);
  return reduce->result();
}

// Reduces the region to one element along the dimension. Blocks of the same shape are first combined element by element.
Value *BlockMovement::reduceRegion(const Op &op, std::vector<int64_t> origin, std::vector<int64_t> shape) {
  size_t dim = dimensionOf(op);
  OpKind combine = *combiningOp(op);
  auto merge = [&](Value *x, Value *y) { return x ? b_.value(combine, {x, y}, y->type()) : y; };
  std::map<int64_t, Value *> byLength;
  int64_t end = origin[dim] + shape[dim], start = 0;
  for (int64_t length : classes_.grid(op.operand(0)).dims[dim]) {
    int64_t from = std::max(start, origin[dim]), to = std::min(start + length, end);
    start += length;
    if (from >= to) continue;
    origin[dim] = from, shape[dim] = to - from;
    Value *&sum = byLength[to - from];
    sum = merge(sum, parts_.region(op.operand(0), origin, shape));
  }
  Value *result = nullptr;
  for (auto &[length, sum] : byLength) result = merge(result, reduceBlock(op, sum, length));
  return result;
}

void BlockMovement::reduction(const Op &op) {
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
      results.push_back(reduceBlock(op, parts_.region(op.operand(0), origin, shape), size));
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
      all = parts_.inserted(part, all, grid.shape(k), place);
    }
    results.push_back(all);
  }
  values_.bind(op.result(), std::move(results));
}

// --- broadcasts ------------------------------------------------------------------------------------------------------

// Returns one block of the result of a broadcast.
Value *BlockMovement::broadcastBlock(const Op &op, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape) {
  size_t dim = dimensionOf(op);
  Type from = op.operand(0)->type(), to = op.result()->type();
  int64_t size = to.extent(static_cast<int>(dim)) / from.extent(static_cast<int>(dim));
  auto stretched = [&](Value *source, int64_t length) {
    std::vector<int64_t> result = shape;
    result[dim] = length;
    if (result == shapeOf(source->type())) return source;
    int64_t count = source->type().extent(static_cast<int>(dim));
    Op *made = b_.create(OpKind::Broadcast, {source}, {b_.context().vector(std::move(result), from.elem())});
    BroadcastOp(*made).setDim(BroadcastOp(op).dim());
    if (count != 1) BroadcastOp(*made).setBroadcastSize(length / count);
    return made->result();
  };
  std::vector<int64_t> place = origin, part = shape;
  if (origin[dim] % size == 0 && shape[dim] % size == 0) {
    place[dim] /= size, part[dim] /= size;
    return stretched(parts_.region(op.operand(0), place, part), shape[dim]);
  }
  // Broadcasts each element of the operand whose copies are in this block.
  Value *result = nullptr;
  part[dim] = 1;
  for (int64_t at = origin[dim], end = origin[dim] + shape[dim]; at < end;) {
    int64_t length = std::min((at / size + 1) * size, end) - at;
    place[dim] = at / size;
    Value *copies = stretched(parts_.region(op.operand(0), place, part), length);
    if (length == shape[dim]) return copies;
    std::vector<int64_t> in(2, 0);
    in[dim] = at - origin[dim];
    result = parts_.inserted(copies, result, shape, in);
    at += length;
  }
  return result;
}

void BlockMovement::broadcast(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  size_t dim = dimensionOf(op);
  bool single = op.operand(0)->type().extent(static_cast<int>(dim)) == 1;
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, Value *> made; // by origin and shape
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k), shape = grid.shape(k);
    if (single) origin[dim] = 0; // blocks that differ only in their position along `dim` are equal
    if (single && shape[dim] < op.result()->type().extent(static_cast<int>(dim))) {
      Value *&known = made[{origin, shape}];
      if (!known) {
        std::vector<int64_t> part = shape;
        part[dim] = 1;
        Value *source = parts_.region(op.operand(0), origin, part);
        if (shape[dim] == 1) {
          known = source;
        } else {
          Op *copies = b_.create(OpKind::Broadcast, {source}, {b_.context().vector(shape, source->type().elem())});
          BroadcastOp(*copies).setDim(BroadcastOp(op).dim());
          known = copies->result();
        }
      }
      results.push_back(known);
      continue;
    }
    results.push_back(broadcastBlock(op, origin, shape));
  }
  values_.bind(op.result(), std::move(results));
}

// --- reshapes --------------------------------------------------------------------------------------------------------

void BlockMovement::reshape(const Op &op) {
  std::vector<int64_t> from = shapeOf(op.operand(0)->type()), to = shapeOf(op.result()->type());
  const BlockGrid &grid = classes_.grid(op.result());
  if (grid.count() == 1 && classes_.grid(op.operand(0)).count() == 1)
    return values_.bind(op.result(), {parts_.reshaped(values_.one(op.operand(0)), to)});
  std::erase(from, 1), std::erase(to, 1);
  Values results;
  for (size_t k = 0; k < grid.count(); ++k)
    results.push_back(from == to ? blockOfSameRows(op, grid.origin(k), grid.shape(k))
                                 : blockOfRuns(op, grid.origin(k), grid.shape(k)));
  values_.bind(op.result(), std::move(results));
}

// Returns one block of the result of a reshape that only adds or drops dimensions of extent 1.
Value *BlockMovement::blockOfSameRows(const Op &op, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape) {
  std::span<const int64_t> from = op.operand(0)->type().shape(), to = op.result()->type().shape();
  std::vector<int64_t> at, part;
  size_t d = 0;
  for (int64_t extent : from) {
    while (extent != 1 && to[d] == 1) ++d;
    at.push_back(extent == 1 ? 0 : origin[d]);
    part.push_back(extent == 1 ? 1 : shape[d]);
    if (extent != 1) ++d;
  }
  return parts_.reshaped(parts_.region(op.operand(0), at, part), shape);
}

// Returns one block of the result of any other reshape. A reshape keeps row-major order, so that the block can be assembled
// from runs of adjacent elements of the operand's rows.
Value *BlockMovement::blockOfRuns(const Op &op, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape) {
  std::span<const int64_t> from = op.operand(0)->type().shape(), to = op.result()->type().shape();
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
      Value *run = parts_.reshaped(parts_.region(op.operand(0), at, part), row);
      result = row == shape ? run : parts_.inserted(run, result, shape, in);
      in.back() += length, linear += length, left -= length;
    }
  }
  return result;
}

} // namespace xt
