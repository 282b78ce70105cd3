// Internal to the pass block-tiles: the cut of a vector or a tile into blocks, along each dimension separately.
#pragma once
#include "ir/type.h"

#include <array>

namespace xt {

// Lengths of adjacent pieces of one dimension; their sum is its extent.
using Lengths = std::vector<int64_t>;

// Both cut an extent into pieces of `length`. cutEvenly leaves the remainder as one piece; cutToPowersOfTwo cuts it into
// powers of two, largest first.
Lengths cutEvenly(int64_t extent, int64_t length);
Lengths cutToPowersOfTwo(int64_t extent, int64_t length);

// Cuts an extent, which `a` and `b` cut into pieces, into the shortest pieces that consist of whole pieces of both.
Lengths commonLengths(const Lengths &a, const Lengths &b);

struct BlockGrid {
  std::vector<Lengths> dims;

  static BlockGrid whole(Type type) {
    BlockGrid grid;
    for (int64_t extent : type.shape()) grid.dims.push_back({extent});
    return grid;
  }
  size_t count() const {
    size_t n = 1;
    for (const Lengths &dim : dims) n *= dim.size();
    return n;
  }
  // Blocks are numbered row-major. Converts a block number to the piece number in each dimension, and back.
  std::vector<size_t> at(size_t k) const {
    std::vector<size_t> place(dims.size());
    for (size_t d = dims.size(); d-- > 0; k /= dims[d].size()) place[d] = k % dims[d].size();
    return place;
  }
  size_t number(const std::vector<size_t> &place) const {
    size_t k = 0;
    for (size_t d = 0; d < dims.size(); ++d) k = k * dims[d].size() + place[d];
    return k;
  }
  std::vector<int64_t> shape(size_t k) const;  // extents of block k
  std::vector<int64_t> origin(size_t k) const; // first index of block k in each dimension
  bool operator==(const BlockGrid &) const = default;
};

} // namespace xt
