// Checks each memory access of a launch for races, reads of unwritten elements, elements out of bounds, and accesses to
// memory that an asynchronous copy in flight reads or writes.
#pragma once
#include "ir/checks.h"
#include "ir/interp/access_findings.h"
#include "ir/interp/barrier_clocks.h"
#include "ir/interp/checked_memory.h"
#include "ir/interp/copies_in_flight.h"
#include "ir/interp/fence_order.h"

#include <optional>

namespace xt {

// Two elements of one store conflict if they have the same place. Two accesses conflict if they share a byte, at least one of
// them writes, they are not both atomic, and either
//   - two subgroups of a workgroup make them without a barrier between them, or
//   - two workgroups make them.
// Atomics of two workgroups are not both atomic if one of them has the scope `workgroup`.
// Whether an element has conflicting accesses does not depend on the order in which the interpreter runs subgroups and
// workgroups. Which two of several conflicts are reported may depend on it.
// In kernels with fences and atomics, accesses that these order (fence_order.h) do not conflict. What they order depends on the
// run: a kernel that does not test what its atomic has read may pass because of the order in which workgroups ran. Of the readers
// and of the atomics of an element, the latest kMostOthers are remembered.
class AccessChecks {
public:
  using Kind = MemoryMonitor::Kind;

  // `history` and `clocks` must outlive the object. Whenever an access is checked, the accessing workgroup must be the
  // current one of `history`.
  AccessChecks(Checks checks, const LaunchHistory &history, BarrierClocks &clocks, CheckedMemory memory);

  void enter(); // must be called before each workgroup
  void passBarrier(); // must be called when all workers of the workgroup pass a barrier
  // These have the contracts of the functions of MemoryMonitor with the same names.
  void access(const AccessSite &site, Kind kind, const unsigned char *p, size_t bytes);
  void outside(const AccessSite &site, Kind kind, const MemoryRange &buffer, std::span<const int64_t> index);
  void writesTwice(const AccessSite &site, const unsigned char *p);
  void fence(size_t worker, bool device);
  void arrived(size_t worker, size_t barrier, uint64_t round);
  void passed(size_t worker, size_t barrier, uint64_t round);
  // Reports all findings. Must be called after the last workgroup.
  void report(Diagnostics &diagnostics);

private:
  using Access = AccessFindings::Access;
  Touch touch(const AccessSite &site) const;
  // Returns an earlier access to `cell` that a new access conflicts with; its touch is empty if there is none.
  Access conflict(const Cell &cell, Kind kind, const Touch &now, bool slm) const;
  bool bothAtomic(const Touch &one, const Touch &other) const;
  // The accesses to an element since its last write, in kernels with fences and atomics.
  struct Accesses {
    Touch write;
    std::vector<Touch> reads, atomics; // the latest of each worker
  };
  static constexpr size_t kMostOthers = 64;
  Access unordered(const Accesses &accesses, Kind kind, const Touch &now, const unsigned char *p);
  static void add(Accesses &accesses, Kind kind, const Touch &now);
  static void remember(Cell &cell, Kind kind, const Touch &now);
  // Adds the remaining reads of unwritten elements in a region to the findings.
  void collectUnwritten(const CheckedMemory::Region &region);

  Checks checks_;
  const LaunchHistory &history_;
  const BarrierClocks &clocks_;
  CheckedMemory memory_;
  std::optional<FenceOrder> order_; // there if the kernel has both fences and atomics
  std::unordered_map<const Cell *, Accesses> accesses_, localAccesses_; // used for lookup only
  uint32_t epoch_ = 0; // the number of barriers that the workgroup has passed
  CopiesInFlight copies_;
  AccessFindings findings_;
};

} // namespace xt
