// Observes a kernel's memory accesses and the places where its subgroups meet, for `--check`.
#pragma once
#include "ir/interp/arithmetic.h"
#include "ir/interp/values.h"

namespace xt {

class MemoryMonitor;
class Subgroup;
struct Step;

// Where an access by an asynchronous copy stands: from Begins to Lands, its target has no contents and its source must not change.
enum class CopyPhase : uint8_t { None, Begins, Lands };

// The originator of a memory access, and the memory allowed for accesses through explicit views.
struct AccessSite {
  const Op *op = nullptr;
  size_t subgroup = 0;
  MemoryMonitor *monitor = nullptr; // null: accesses are not observed
  std::span<const MemoryRange> ranges = {}; // the buffers of the launch
  Arithmetic *arithmetic = &ieeeArithmetic();
  CopyPhase phase = CopyPhase::None;

  // Whether `bytes` from `p` are in `buffer` or, if the buffer is unknown, in one of the ranges.
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
  // Called before an element is read or written.
  virtual void access(const AccessSite &site, Kind kind, const unsigned char *p, size_t bytes) = 0;
  // Called for an element outside of its base: the padding is read, or nothing is written. `buffer` belongs to the base;
  // `index` has an entry for each dimension of the base.
  virtual void outside(const AccessSite &site, Kind kind, const MemoryRange &buffer, std::span<const int64_t> index) = 0;
  // All subgroups of the workgroup wait at a place (a barrier, or an exchange of held elements) and are about to continue.
  virtual void meeting(const Step &place, std::span<const Subgroup> subgroups) = 0;
  // A worker arrives at a named barrier at `op`; `part` is its participation in the barrier.
  virtual void takesPart(const Op &op, size_t worker, const NamedBarrierPart &part, uint64_t round) = 0;
  // A subgroup arrives at a round of a named barrier, and later passes it.
  virtual void arrived(size_t subgroup, size_t barrier, uint64_t round) = 0;
  virtual void passed(size_t subgroup, size_t barrier, uint64_t round) = 0;
  // Subgroups wait at different places, or for subgroups that have finished: the launch ends.
  virtual void neverMeet(std::span<const Subgroup> subgroups) = 0;
};

} // namespace xt
