// Internal to the pass block-tiles: maps each value of a kernel to the values that replace it.
#pragma once
#include "ir/builder.h"
#include "passes/block_classes.h"
#include "passes/lane_conversion.h"
#include "passes/tile_roots.h"

#include <unordered_map>

namespace xt {

// The new values for one old value. A scalar or memref becomes one value, and a vector one value per block. A tile whose root
// is known becomes its row and column offset (a scatter tile: the blocks of its offsets); any other tile becomes one tile per
// block.
using Values = std::vector<Value *>;

class BlockValues {
public:
  BlockValues(Builder &builder, const BlockClasses &classes, const TileRoots &roots, LaneConversion &conversion)
      : b_(builder), classes_(classes), roots_(roots), conversion_(conversion) {}

  const Values &of(const Value *value) const { return values_.at(value); }
  Value *one(const Value *value) const { return values_.at(value)[0]; }
  // The new values for each of `values`, one after the other.
  Values ofAll(std::span<Value *const> values) const;

  // Lets `values` replace `old`. They take the name of `old` if they have none. A block whose lanes do not have the layout
  // that the kernel states is converted.
  void bind(const Value *old, Values values);
  // Binds each old value, in order, to as many new values as it has types (typesOf).
  void bindAll(std::span<Value *const> olds, const Values &news);
  // Lets a row and a column offset, which keep their names, replace a tile whose root is known.
  void bindOffsets(const Value *tile, Value *row, Value *column) { values_[tile] = {row, column}; }

  // The types of the values that replace `value`.
  std::vector<Type> typesOf(const Value *value) const;
  // The type of block k of a vector.
  Type blockType(const Value *value, size_t k) const;

  // Creates a copy of the op with these operands and result types.
  Op *copy(const Op &op, Values operands, const std::vector<Type> &results);

private:
  Value *inStatedLayout(const Value *old, size_t k, Value *block);

  Builder &b_;
  const BlockClasses &classes_;
  const TileRoots &roots_;
  LaneConversion &conversion_;
  std::unordered_map<const Value *, Values> values_; // for lookup only; iteration order would not be deterministic
};

// Whether each element of the tile has its own offset.
inline bool isScatter(const Value *tile) { return tile->type().data().scatter; }

// Returns the shape [K, N] in packed form: [K/f, N, f], where f elements have 32 bits together.
std::vector<int64_t> packedShape(const std::vector<int64_t> &shape, Elem elem);

} // namespace xt
