// Watches the accesses of a workgroup to memory, and reports those that nothing orders, and those of bytes of shared local
// memory to which an asynchronous copy has not landed yet. What other workgroups do is not followed.
//
// Of each byte the watch knows the last write, the last atomic access, and the last reads: those of two work-items of one
// subgroup, and one of another subgroup.
#pragma once
#include "targets/soft/causality.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace xt::soft {

// One access, and where it is in the source.
struct WatchedAccess {
  size_t item = 0;
  bool local = false; // in shared local memory
  uint64_t place = 0; // an offset in shared local memory, or an address in global memory
  size_t bytes = 0;
  int32_t site = -1;
  bool writes = false, atomic = false;
  size_t piece = 0; // bytes that one instruction accesses; 0: unknown
};
// Two accesses that are not ordered, or an access of bytes in flight: `earlier` is then the copy.
struct UnorderedAccess {
  uint64_t place = 0; // the first such byte
  bool local = false;
  size_t item = 0;
  int32_t site = -1; // of the earlier access
  bool wrote = false, inFlight = false;
};

class MemoryWatch {
public:
  explicit MemoryWatch(const Launch &launch);

  void begin(); // of a workgroup
  std::optional<UnorderedAccess> access(const WatchedAccess &access);
  // From beginCopy to landCopy, the bytes are in flight.
  std::optional<UnorderedAccess> beginCopy(const WatchedAccess &access);
  void landCopy(const WatchedAccess &access);
  Causality &causality() { return causality_; }

private:
  struct Last {
    uint32_t time = 0;
    uint16_t item = 0;
    int32_t site = -1;
  };
  struct Byte {
    // The last read; the last one of another work-item of that subgroup; the last one of a work-item of another subgroup.
    Last read, readBeside, readElsewhere;
    Last write, atomic;
    bool inFlight = false;
  };
  static constexpr size_t kPageBytes = 256, kMostPages = 1 << 14;
  using Page = std::array<Byte, kPageBytes>;

  Byte &at(bool local, uint64_t place);
  bool ordered(const Last &earlier, const WatchedAccess &access) const;
  size_t subgroupOf(size_t item) const { return item / launch_.subgroupSize; }
  std::optional<UnorderedAccess> conflict(const Byte &byte, const WatchedAccess &access, uint64_t place) const;
  void note(Byte &byte, const WatchedAccess &access) const;
  void noteRead(Byte &byte, const Last &now) const;

  const Launch &launch_;
  Causality causality_;
  std::vector<Byte> local_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> global_; // for lookup only, by address / kPageBytes
  uint64_t lastNumber_ = ~uint64_t{0}; // of the page that was accessed last
  Page *lastPage_ = nullptr;
};

} // namespace xt::soft
