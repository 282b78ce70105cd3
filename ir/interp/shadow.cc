#include "ir/interp/shadow.h"

#include "ir/base/text.h"

#include <algorithm>
#include <numeric>

namespace xt {

std::string elementText(const NamedBuffer &buffer, const unsigned char *p) {
  size_t rank = buffer.sizes.size();
  if (buffer.swizzle) p = buffer.range.low + buffer.swizzle(static_cast<uint64_t>(p - buffer.range.low));
  auto bytes = static_cast<int64_t>(buffer.elemBytes), rest = p - buffer.data;
  // Dimensions with a negative stride are counted from their last index, which has the lowest address.
  std::vector<int64_t> distance(rank), index(rank, 0);
  for (size_t d = 0; d < rank; ++d) {
    distance[d] = std::abs(buffer.strides[d]) * bytes;
    if (buffer.strides[d] < 0) rest += (buffer.sizes[d] - 1) * distance[d];
  }
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return distance[a] > distance[b]; });
  for (size_t d : order) {
    if (buffer.sizes[d] <= 1 || distance[d] == 0) continue;
    index[d] = std::min(rest / distance[d], buffer.sizes[d] - 1);
    rest -= index[d] * distance[d];
    if (buffer.strides[d] < 0) index[d] = buffer.sizes[d] - 1 - index[d];
  }
  std::string text = str("`", buffer.name, "`[", join(index, ", "), "]");
  return rest == 0 ? text : str(text, ", byte ", rest);
}

} // namespace xt
