// Internal to the pass block-tiles: extracts and combines parts of vectors. A part of a value may come from several of the
// blocks in which the value is held.
#pragma once
#include "passes/block_values.h"

namespace xt {

class BlockParts {
public:
  BlockParts(Builder &builder, const BlockValues &values, const BlockClasses &classes)
      : b_(builder), values_(values), classes_(classes) {}

  // Returns the elements of [origin, origin + shape) as one vector of shape `whole` (empty: `shape`); elements of `whole`
  // beyond `shape` are zero.
  Value *region(const Value *value, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape,
                std::vector<int64_t> whole = {});
  // Does the same for a value that is held in these blocks.
  Value *region(const Values &blocks, const BlockGrid &grid, const std::vector<int64_t> &origin,
                const std::vector<int64_t> &shape, std::vector<int64_t> whole = {});
  // Returns the value as a single vector.
  Value *wholeOf(const Value *value);

  // Return the same elements in the blocks of another grid.
  Values reblocked(const Values &blocks, const BlockGrid &from, const BlockGrid &to);
  Values inGrid(const Value *value, const BlockGrid &grid) { return reblocked(values_.of(value), classes_.grid(value), grid); }

  // Return the part of the vector that begins at `origin`, and the elements of the vector in another shape. If the vector has
  // the wanted shape already, they return it as it is, with its layout.
  Value *slice(Value *vector, const std::vector<int64_t> &origin, std::vector<int64_t> shape);
  Value *reshaped(Value *vector, std::vector<int64_t> shape);
  Value *transposed(Value *vector, const std::vector<int64_t> &permutation);
  // Returns a matrix in the form in which dpas takes operand b (packedShape): groups of elements that are adjacent in a
  // column, 32 bits each, become adjacent elements.
  Value *packed(Value *matrix);
  // Returns the vector `into` (null: zeros of shape `whole`) with its elements from `at` on replaced by `part`.
  Value *inserted(Value *part, Value *into, const std::vector<int64_t> &whole, const std::vector<int64_t> &at);

private:
  Builder &b_;
  const BlockValues &values_;
  const BlockClasses &classes_;
};

} // namespace xt
