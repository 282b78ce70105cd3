#include "passes/block_parts.h"

#include "ir/base/check.h"
#include "ir/context.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "passes/part_values.h"
#include "passes/vector_slices.h"

#include <algorithm>

namespace xt {

// --- parts of one vector ---------------------------------------------------------------------------------------------

Value *BlockParts::slice(Value *vector, const std::vector<int64_t> &origin, std::vector<int64_t> shape) {
  if (shape == shapeOf(vector->type())) return vector;
  return sliceOf(b_, vector, origin, std::move(shape));
}

Value *BlockParts::reshaped(Value *vector, std::vector<int64_t> shape) {
  if (shape == shapeOf(vector->type())) return vector;
  return withShape(b_, vector, shape);
}

Value *BlockParts::transposed(Value *vector, const std::vector<int64_t> &permutation) {
  std::vector<int64_t> shape;
  for (int64_t d : permutation) shape.push_back(vector->type().extent(static_cast<int>(d)));
  Op *op = b_.create(OpKind::Transpose, {vector}, {b_.context().vector(std::move(shape), vector->type().elem())});
  TransposeOp(*op).setPermutation(permutation);
  return op->result();
}

Value *BlockParts::packed(Value *matrix) {
  Type type = matrix->type();
  int64_t factor = 32 / elemInfo(type.elem()).bits;
  return transposed(reshaped(matrix, {type.extent(0) / factor, factor, type.extent(1)}), {0, 2, 1});
}

Value *BlockParts::inserted(Value *part, Value *into, const std::vector<int64_t> &whole, const std::vector<int64_t> &at) {
  if (!into) into = zerosOf(b_, b_.context().vector(whole, part->type().elem()));
  return withSlice(b_, part, into, at);
}

// --- parts of a value that is held in blocks -------------------------------------------------------------------------

Value *BlockParts::region(const Values &blocks, const BlockGrid &grid, const std::vector<int64_t> &origin,
                          const std::vector<int64_t> &shape, std::vector<int64_t> whole) {
  if (whole.empty()) whole = shape;
  size_t rank = shape.size();
  // For each dimension, the pieces that the region overlaps, and the position and length of the overlap.
  struct Touched {
    size_t piece;
    int64_t inPiece, inRegion, length;
  };
  std::vector<std::vector<Touched>> touched(rank);
  BlockGrid parts;
  for (size_t d = 0; d < rank; ++d) {
    int64_t start = 0, end = origin[d] + shape[d];
    Lengths lengths;
    for (size_t i = 0; i < grid.dims[d].size(); start += grid.dims[d][i++]) {
      int64_t from = std::max(start, origin[d]), to = std::min(start + grid.dims[d][i], end);
      if (from >= to) continue;
      touched[d].push_back({i, from - start, from - origin[d], to - from});
      lengths.push_back(to - from);
    }
    parts.dims.push_back(std::move(lengths));
  }
  Value *result = nullptr;
  for (size_t k = 0; k < parts.count(); ++k) {
    std::vector<size_t> at = parts.at(k), piece(rank);
    std::vector<int64_t> inPiece(rank), inRegion(rank), lengths(rank);
    for (size_t d = 0; d < rank; ++d) {
      const Touched &t = touched[d][at[d]];
      piece[d] = t.piece, inPiece[d] = t.inPiece, inRegion[d] = t.inRegion, lengths[d] = t.length;
    }
    Value *part = slice(blocks[grid.number(piece)], inPiece, lengths);
    if (!result && lengths == whole) return part;
    result = inserted(part, result, whole, inRegion);
  }
  XT_CHECK(result, "a region inside of the value");
  return result;
}

Value *BlockParts::region(const Value *value, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape,
                          std::vector<int64_t> whole) {
  return region(values_.of(value), classes_.grid(value), origin, shape, std::move(whole));
}

Values BlockParts::reblocked(const Values &blocks, const BlockGrid &from, const BlockGrid &to) {
  if (from == to) return blocks;
  Values result;
  for (size_t k = 0; k < to.count(); ++k) result.push_back(region(blocks, from, to.origin(k), to.shape(k)));
  return result;
}

Value *BlockParts::wholeOf(const Value *value) {
  std::vector<int64_t> shape = shapeOf(value->type());
  return region(value, std::vector<int64_t>(shape.size(), 0), shape);
}

} // namespace xt
