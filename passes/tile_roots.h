// Traces tiles through loops, branches, updates and yields back to the init_tile that gives their matrix.
#pragma once
#include "ir/module.h"

#include <unordered_map>

namespace xt {

class TileRoots {
public:
  explicit TileRoots(const Kernel &kernel);

  // The init_tile that the tile comes from. If it may come from several, one of them, provided that they have the same base,
  // leading offsets, shape and strides (row and column offsets may differ); otherwise null. Also null if a loop or a branch may
  // give a tile of another matrix in place of this one.
  const Op *root(const Value *tile) const;
  // A number that is known to divide the index of the tile's first column (in a matrix stored by columns: of its first row), as
  // far as constants, grid steps and loop steps show. 0: the index is always 0.
  int64_t columnDivisor(const Value *tile) const;
  // A number that is known to divide an index; 0: the index is always 0.
  int64_t divisor(const Value *index) const { return known(index); }

private:
  void findDivisors();
  int64_t known(const Value *value) const;
  int64_t divisorOf(const Op &op) const;
  int64_t carriedDivisor(const Op &op, size_t result) const;

  const Kernel &kernel_;
  std::unordered_map<const Value *, const Op *> roots_; // null: several matrices; for lookup only
  std::unordered_map<const Value *, int64_t> divisors_; // for lookup only
};

// The memref or address that a base is a cast of, or the base itself.
const Value *withoutCasts(const Value *base);

// Whether the base of a tile is a buffer in shared local memory.
bool isSlmBuffer(const Value *base);

// The parameter of the kernel that a memref is, perhaps cast; null for others, such as the parameter of a loop, which may carry
// another memref in each iteration.
const Value *argumentOf(const Value *memref);

// Whether the base of a tile is an argument and the tile has its sizes and strides, so that every element that the tile can
// access is in the argument.
bool isOnArgument(const Op &initTile);

// The buffer in shared local memory that a tile, block or memref is a part of, if ops say so without loops and branches
// between; otherwise null.
const Value *slmBufferOf(const Value *window);

// Whether an init_tile has a shape and strides of its own, which are computed in the kernel.
bool hasOwnShape(const Op &initTile);

// The position of the row offset among an init_tile's operands; the column offset follows it.
size_t rowOffsetAt(const Op &initTile);

} // namespace xt
