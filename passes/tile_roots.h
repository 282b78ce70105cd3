// Where tiles come from: through loops and branches, updates and yields, back to the init_tile that says which matrix they
// look into.
#pragma once
#include "ir/module.h"

#include <unordered_map>

namespace xt {

class TileRoots {
public:
  explicit TileRoots(Kernel &kernel);

  // The init_tile whose base, leading offsets, shape and strides (not: offsets of rows and columns) the tile has on every
  // path; null where paths differ.
  const Op *root(const Value *tile) const;
  // A number that divides the tile's first column (of a matrix stored by columns: row) for certain, as far as constants, grid
  // steps and loop steps tell; 0: it is always 0.
  int64_t columnDivisor(const Value *tile) const;
  // The same of an index.
  int64_t divisor(const Value *index) const { return known(index); }

private:
  void findDivisors();
  int64_t known(const Value *value) const;
  int64_t divisorOf(const Op &op) const;
  int64_t carriedDivisor(const Op &op, size_t result) const;

  Kernel &kernel_;
  std::unordered_map<const Value *, const Op *> roots_; // looked up only; null: several
  std::unordered_map<const Value *, int64_t> divisors_; // looked up only
};

// The places of the row and column offset among an init_tile's operands; the column's is one more.
size_t rowOffsetAt(const Op &initTile);

} // namespace xt
