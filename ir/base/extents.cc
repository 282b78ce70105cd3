#include "ir/base/extents.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace xt {

// Visits the dimensions in ascending order of their strides: each stride must exceed the largest offset that the previous
// dimensions reach together.
bool haveDistinctPlaces(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  if (std::ranges::count(sizes, 0)) return true; // no elements
  struct Steps {
    int64_t count, length;
  };
  std::vector<Steps> dims;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] > 1) dims.push_back({sizes[d] - 1, std::abs(strides[d])});
  std::ranges::sort(dims, {}, &Steps::length);
  int64_t reach = 0;
  for (Steps steps : dims) {
    if (steps.length <= reach) return false;
    reach += steps.count * steps.length;
  }
  return true;
}

} // namespace xt
