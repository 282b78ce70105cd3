// Sees what a kernel does to memory, for `--check`.
#pragma once
#include "ir/interp/values.h"

namespace xt {

class MemoryMonitor;

// Who accesses memory, and where accesses through views of their own may go.
struct AccessSite {
  const Op *op = nullptr;
  size_t subgroup = 0;
  MemoryMonitor *monitor = nullptr;         // null: nobody looks
  std::span<const MemoryRange> ranges = {}; // the buffers of the launch

  // Whether `bytes` from `p` lie in `buffer`, or, where that is not known, in one of the ranges.
  bool allowed(const MemoryRange &buffer, const unsigned char *p, size_t bytes) const {
    if (buffer.low) return buffer.contains(p, bytes);
    for (const MemoryRange &range : ranges)
      if (range.contains(p, bytes)) return true;
    return false;
  }
};

class MemoryMonitor {
public:
  enum class Kind : uint8_t { Read, Write, Atomic };
  virtual ~MemoryMonitor() = default;
  // An element that is read or written, before that is done.
  virtual void access(const AccessSite &site, Kind kind, const unsigned char *p, size_t bytes) = 0;
  // An element that lies outside of its base: the padding is read, or nothing is written. `index` has an entry for each
  // dimension of the base.
  virtual void outside(const AccessSite &site, Kind kind, std::span<const int64_t> index) = 0;
};

} // namespace xt
