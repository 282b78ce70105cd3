// Sees what a kernel does to memory, for `--check`.
#pragma once
#include "ir/interp/values.h"

namespace xt {

class MemoryMonitor;

// Who accesses memory, and where accesses through views of their own may go.
struct AccessSite {
  const Op *op = nullptr;
  size_t subgroup = 0;
  MemoryMonitor *monitor = nullptr; // null: nobody looks
  std::span<const MemoryRange> ranges = {};

  // Whether `bytes` from `p` lie in one of the ranges.
  bool allowed(const unsigned char *p, size_t bytes) const {
    for (const MemoryRange &range : ranges)
      if (p >= range.low && p + bytes <= range.high) return true;
    return false;
  }
};

class MemoryMonitor {
public:
  enum class Kind : uint8_t { Read, Write, Atomic };
  virtual ~MemoryMonitor() = default;
  virtual void access(const AccessSite &site, Kind kind, const unsigned char *p, size_t bytes) = 0;
  // An element of a tile that lies outside of its base: the padding is read, or nothing is written. `index` is that of
  // the base's last dimensions.
  virtual void outside(const AccessSite &site, size_t parameter, std::span<const int64_t> index) = 0;
  // All subgroups of the workgroup have met at a barrier.
  virtual void barrier() = 0;
};

} // namespace xt
