// What values the integers of a kernel can have, so that most of them need 32 bits only.
#pragma once
#include "ir/module.h"

#include <cstdint>
#include <limits>
#include <unordered_map>

namespace xt {

struct Interval { // both included; the whole of 64 bits where nothing is known
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  bool operator==(const Interval &) const = default;
  bool fits32() const {
    return low >= std::numeric_limits<int32_t>::min() && high <= std::numeric_limits<int32_t>::max();
  }
};

// Extents of memrefs are below 2^31: the host refuses others.
inline constexpr int64_t kMostExtent = (int64_t{1} << 31) - 1;

class IndexRanges {
public:
  explicit IndexRanges(const Kernel &kernel);
  // Of an index, or another integer of at least 32 bits.
  Interval of(const Value *scalar) const;
  // Of a window's offset along its rows (0) or columns (1).
  Interval ofWindow(const Value *window, size_t dim) const;

private:
  std::unordered_map<const Value *, Interval> scalars_; // looked up only
};

} // namespace xt
