// How many workgroups the bounds of a grid give.
#pragma once
#include "ir/launch.h"

#include <algorithm>
#include <optional>

namespace xt {

inline constexpr uint64_t kMaxWorkgroups = uint64_t{1} << 31;

// The values lower, lower + step, … below `upper`; `step` is positive. The count is at most kMaxWorkgroups + 1.
inline GridRange gridRange(int64_t lower, int64_t upper, int64_t step) {
  GridRange range{lower, step, 0};
  if (lower >= upper) return range;
  uint64_t distance = static_cast<uint64_t>(upper) - static_cast<uint64_t>(lower), each = static_cast<uint64_t>(step);
  range.count = static_cast<int64_t>(std::min<uint64_t>((distance - 1) / each + 1, kMaxWorkgroups + 1));
  range.lastShare = static_cast<double>((distance - 1) % each + 1) / static_cast<double>(step);
  return range;
}

// The product of the counts; nullopt if it is above kMaxWorkgroups.
inline std::optional<uint64_t> workgroupCount(std::span<const GridRange> ranges) {
  uint64_t count = 1;
  bool tooMany = false;
  for (const GridRange &range : ranges) {
    if (range.count <= 0) return 0;
    tooMany = tooMany || static_cast<uint64_t>(range.count) > kMaxWorkgroups / count;
    if (!tooMany) count *= static_cast<uint64_t>(range.count);
  }
  return tooMany ? std::nullopt : std::optional(count);
}

} // namespace xt
