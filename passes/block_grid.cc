#include "passes/block_grid.h"

#include <algorithm>
#include <bit>

namespace xt {

Lengths cutEvenly(int64_t extent, int64_t length) {
  Lengths lengths(static_cast<size_t>(extent / length), length);
  if (extent % length) lengths.push_back(extent % length);
  return lengths;
}

Lengths cutToPowersOfTwo(int64_t extent, int64_t length) {
  Lengths lengths = cutEvenly(extent, length);
  if (extent % length == 0) return lengths;
  lengths.pop_back();
  for (auto left = static_cast<uint64_t>(extent % length); left; left -= std::bit_floor(left))
    lengths.push_back(static_cast<int64_t>(std::bit_floor(left)));
  return lengths;
}

Lengths commonLengths(const Lengths &a, const Lengths &b) {
  Lengths common = {0};
  int64_t endOfA = 0, endOfB = 0;
  for (size_t i = 0, k = 0; i < a.size(); ++i) {
    if (endOfA > 0 && endOfA == endOfB) common.push_back(0);
    endOfA += a[i], common.back() += a[i];
    while (endOfB < endOfA && k < b.size()) endOfB += b[k++];
  }
  return common;
}

std::vector<int64_t> BlockGrid::shape(size_t k) const {
  std::vector<size_t> place = at(k);
  std::vector<int64_t> shape;
  for (size_t d = 0; d < dims.size(); ++d) shape.push_back(dims[d][place[d]]);
  return shape;
}

std::vector<int64_t> BlockGrid::origin(size_t k) const {
  std::vector<size_t> place = at(k);
  std::vector<int64_t> origin;
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t start = 0;
    for (size_t i = 0; i < place[d]; ++i) start += dims[d][i];
    origin.push_back(start);
  }
  return origin;
}

} // namespace xt
