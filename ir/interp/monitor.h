// Sees what a kernel does to memory and where its subgroups meet, for `--check`.
#pragma once
#include "ir/interp/arithmetic.h"
#include "ir/interp/values.h"

namespace xt {

class MemoryMonitor;
class Subgroup;
struct Step;

// Who accesses memory, and where accesses through views of their own may go.
struct AccessSite {
  const Op *op = nullptr;
  size_t subgroup = 0;
  MemoryMonitor *monitor = nullptr;         // null: nobody looks
  std::span<const MemoryRange> ranges = {}; // the buffers of the launch
  Arithmetic *arithmetic = &ieeeArithmetic();

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
  // An element that lies outside of its base: the padding is read, or nothing is written. `buffer` is the base's;
  // `index` has an entry for each of its dimensions.
  virtual void outside(const AccessSite &site, Kind kind, const MemoryRange &buffer,
                       std::span<const int64_t> index) = 0;
  // All subgroups of the workgroup wait at a place (a barrier, or where they exchange what they hold) and go on.
  virtual void meeting(const Step &place, std::span<const Subgroup> subgroups) = 0;
  // At `op` a worker arrives at a named barrier as this part of it.
  virtual void takesPart(const Op &op, size_t worker, const NamedBarrierPart &part, uint64_t round) = 0;
  // A subgroup arrives at a round of a named barrier, and goes on behind it.
  virtual void arrived(size_t subgroup, size_t barrier, uint64_t round) = 0;
  virtual void passed(size_t subgroup, size_t barrier, uint64_t round) = 0;
  // They wait at different places, or for some that have finished: the launch ends.
  virtual void neverMeet(std::span<const Subgroup> subgroups) = 0;
};

} // namespace xt
