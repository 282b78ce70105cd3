#include "targets/ranks/moves.h"

#include <cstring>

namespace xt {

std::vector<MovedBox> redistribution(const Distributed &source, const Box &slice, const Distributed &destination,
                                     const Mesh &mesh) {
  std::vector<MovedBox> pieces;
  const std::vector<int> axes = source.sharding.axes();
  for (int to = 0; to < mesh.ranks(); ++to) {
    Box needed = destination.part(mesh, to);
    for (size_t d = 0; d < needed.begin.size(); ++d) needed.begin[d] += slice.begin[d];
    // Each choice of positions along the axes that divide the source is a different part of it.
    std::vector<int> positions(axes.size());
    while (true) {
      int from = to;
      for (size_t i = 0; i < axes.size(); ++i) from = mesh.moved(from, axes[i], positions[i]);
      if (std::optional<Box> box = intersection(needed, source.part(mesh, from))) pieces.push_back({from, to, std::move(*box)});
      size_t axis = axes.size();
      while (axis > 0 && ++positions[axis - 1] == mesh.extent(axes[axis - 1])) positions[--axis] = 0;
      if (axis == 0) break;
    }
  }
  return pieces;
}

Box wholeOf(std::span<const int64_t> shape) { return {std::vector<int64_t>(shape.size()), {shape.begin(), shape.end()}}; }

void copyBox(const Box &box, const Box &fromPart, const std::byte *from, const Box &toPart, std::byte *to, int64_t elemBytes) {
  size_t rank = box.extent.size();
  if (box.elements() == 0) return;
  int64_t run = (rank ? box.extent[rank - 1] : 1) * elemBytes;
  auto offset = [&](const Box &part, const std::vector<int64_t> &index) {
    int64_t at = 0;
    for (size_t d = 0; d < rank; ++d) at = at * part.extent[d] + box.begin[d] + index[d] - part.begin[d];
    return at * elemBytes;
  };
  std::vector<int64_t> index(rank);
  while (true) {
    std::memcpy(to + offset(toPart, index), from + offset(fromPart, index), static_cast<size_t>(run));
    size_t d = rank ? rank - 1 : 0; // the last dimension is the run
    while (d > 0 && ++index[d - 1] == box.extent[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

} // namespace xt
