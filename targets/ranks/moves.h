// Which rank sends which part of an array to which other rank.
#pragma once
#include "ir/elem.h"
#include "targets/ranks/mesh.h"

namespace xt {

// An array that ranks hold parts of.
struct Distributed {
  std::vector<int64_t> shape = {}; // of the whole array
  Elem elem = kF32Elem;
  Sharding sharding = {};
  Box part(const Mesh &mesh, int rank) const { return partOf(shape, sharding, mesh, rank); }
};

// A box of the source that one rank gives to another, or to itself.
struct MovedBox {
  int from = 0, to = 0;
  Box box; // in coordinates of the whole source
};

// The pieces that give each rank its part of the destination, which is the box `slice` of the source. Where several ranks hold a
// piece, a rank takes it from itself, or from the one that differs from it along the fewest axes. There is at most one piece from
// one rank to another.
std::vector<MovedBox> redistribution(const Distributed &source, const Box &slice, const Distributed &destination,
                                     const Mesh &mesh);

// The whole of an array, as a box.
Box wholeOf(std::span<const int64_t> shape);

// Copies the elements of `box` from one dense array to another. The arrays hold the parts `fromPart` and `toPart` of one whole array, in
// whose coordinates all three boxes are.
void copyBox(const Box &box, const Box &fromPart, const std::byte *from, const Box &toPart, std::byte *to, int64_t elemBytes);

} // namespace xt
