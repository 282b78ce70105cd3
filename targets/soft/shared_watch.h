// Watches the accesses of a workgroup to shared local memory, and reports those that no barrier orders, and those of bytes to which an
// asynchronous copy has not landed yet.
//
// Events that order accesses have a time: barriers of the workgroup, of a subgroup, and atomic accesses, behind which a work-item is
// assumed to know everything before. Of each byte the watch knows the last write and the last reads.
#pragma once
#include "targets/soft/launch_description.h"

#include <optional>
#include <string>
#include <vector>

namespace xt::soft {

// One access, and where it is in the source.
struct WatchedAccess {
  size_t item = 0;
  size_t offset = 0, bytes = 0; // in shared local memory
  int32_t site = -1;
  bool writes = false, atomic = false;
  size_t piece = 0; // bytes that one instruction accesses; 0: unknown
};
// Two accesses that are not ordered, or an access of bytes in flight: `earlier` is then the copy.
struct UnorderedAccess {
  size_t offset = 0; // the first such byte
  size_t item = 0;
  int32_t site = -1; // of the earlier access
  bool wrote = false, inFlight = false;
};

class SharedWatch {
public:
  explicit SharedWatch(const Launch &launch);

  void begin(); // of a workgroup
  std::optional<UnorderedAccess> access(const WatchedAccess &access);
  void noteAtomic(size_t item) { itemTimes_[item] = ++now_; } // an atomic access, to any memory
  // From beginCopy to landCopy, the bytes are in flight.
  std::optional<UnorderedAccess> beginCopy(const WatchedAccess &access);
  void landCopy(const WatchedAccess &access);
  // A barrier of these work-items, which are the whole workgroup or a subgroup.
  void meet(size_t first, size_t count);

private:
  struct Last {
    uint32_t time = 0;
    uint16_t item = 0;
    int32_t site = -1;
  };
  struct Byte {
    Last write, read, readElsewhere; // the last read by a work-item of another subgroup than that of `read`
    bool inFlight = false;
  };
  bool ordered(const Last &earlier, size_t item) const;
  size_t subgroupOf(size_t item) const { return item / launch_.subgroupSize; }
  std::optional<UnorderedAccess> conflict(const Byte &byte, const WatchedAccess &access, size_t offset) const;
  void note(Byte &byte, const WatchedAccess &access) const;

  const Launch &launch_;
  std::vector<Byte> bytes_;
  std::vector<uint32_t> subgroupTimes_, itemTimes_; // of the last barrier, and of the last atomic access
  uint32_t now_ = 1, groupTime_ = 1;
};

} // namespace xt::soft
