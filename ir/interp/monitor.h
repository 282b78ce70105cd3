// The interface through which `--check` observes a kernel's memory accesses and the ops at which its subgroups wait for each
// other.
#pragma once
#include "ir/interp/arithmetic.h"
#include "ir/interp/values.h"

namespace xt {

class MemoryMonitor;
class Subgroup;
struct Step;

// The phase of an asynchronous copy to which an access belongs; None: the access is not part of one. Between Begins and Lands,
// the copy's target has no contents and its source must not change.
enum class CopyPhase : uint8_t { None, Begins, Lands };

// The origin of a memory access (its op and worker), and the memory that an access may use if it is made through an explicit
// shape and strides or through an address.
struct AccessSite {
  const Op *op = nullptr;
  size_t subgroup = 0;              // the worker's number (worker.h)
  MemoryMonitor *monitor = nullptr; // null: accesses are not observed
  std::span<const MemoryRange> ranges = {}; // the buffers of the launch
  Arithmetic *arithmetic = &ieeeArithmetic();
  CopyPhase phase = CopyPhase::None;

  // Whether the `bytes` bytes from `p` on are in `buffer` or, if the buffer is unknown, in one of the ranges.
  bool allowed(const MemoryRange &buffer, const unsigned char *p, size_t bytes) const {
    if (buffer.low) return buffer.contains(p, bytes);
    for (const MemoryRange &range : ranges)
      if (range.contains(p, bytes)) return true;
    return false;
  }
};

class MemoryMonitor {
public:
  // AtomicRead: a compare and swap that writes nothing.
  enum class Kind : uint8_t { Read, Write, Atomic, AtomicRead };
  virtual ~MemoryMonitor() = default;
  // Called before an element is read or written.
  virtual void access(const AccessSite &site, Kind kind, const unsigned char *p, size_t bytes) = 0;
  // Called for an element out of bounds of its base: the padding is read, or nothing is written. `buffer` is the memory of the
  // base; `index` has an entry for each dimension of the base.
  virtual void outside(const AccessSite &site, Kind kind, const MemoryRange &buffer, std::span<const int64_t> index) = 0;
  // Called for a store two elements of which write at `p`: their order is not specified.
  virtual void writesTwice(const AccessSite &site, const unsigned char *p) = 0;
  // Called when `subgroups` all wait at `place` and are about to continue: all workers of the workgroup, at a barrier or an
  // exchange of held elements, or the lanes of one subgroup, at a collective op.
  virtual void meeting(const Step &place, std::span<const Subgroup> subgroups) = 0;
  // Called when a worker arrives at a named barrier by `op`. `part`: the barrier, the worker's role and the counts that it
  // states; `round`: the number of times that the barrier had been completed before.
  virtual void takesPart(const Op &op, size_t worker, const NamedBarrierPart &part, uint64_t round) = 0;
  // Called when a worker arrives at a named barrier, and when it later passes the barrier. LaneMeeting also calls these
  // functions to state that the accesses of a subgroup's lanes are ordered.
  virtual void arrived(size_t subgroup, size_t barrier, uint64_t round) = 0;
  virtual void passed(size_t subgroup, size_t barrier, uint64_t round) = 0;
  // Called when a worker executes a fence. `device`: for all workgroups, and not only for its own.
  virtual void fence(size_t worker, bool device) = 0;
  // Called when the launch ends because workers wait at different ops, or for workers that have finished.
  virtual void neverMeet(std::span<const Subgroup> subgroups) = 0;
};

} // namespace xt
