// Which tiles of a kernel are one tile that is moved and carried: an init_tile, what update_tile_offset makes of it, and what loops
// and branches carry of these.
#pragma once
#include "ir/module.h"

#include <unordered_map>
#include <vector>

namespace xt {

class TileFamilies {
public:
  explicit TileFamilies(Block &body);

  // The number of a tile's family; -1 for a value that is no tile.
  int of(const Value *value) const;

private:
  int number(const Value *value);
  void join(const Value *a, const Value *b);
  int root(int family) const;

  std::unordered_map<const Value *, int> numbers_; // for lookup only
  std::vector<int> parents_; // of each number; its own for the number of a family
};

} // namespace xt
