#include "targets/soft/memory_watch.h"

namespace xt::soft {

MemoryWatch::MemoryWatch(const Launch &launch) : launch_(launch), causality_(launch), local_(launch.localBytes) {}

// Everything before is known, so that nothing has to be cleared but copies that nobody waited for.
void MemoryWatch::begin() {
  causality_.begin();
  for (Byte &byte : local_) byte.inFlight = false;
  if (global_.size() < kMostPages) return;
  global_.clear();
  lastPage_ = nullptr;
  lastNumber_ = ~uint64_t{0};
}

MemoryWatch::Byte &MemoryWatch::at(bool local, uint64_t place) {
  if (local) return local_[place];
  uint64_t number = place / kPageBytes;
  if (number != lastNumber_) {
    std::unique_ptr<Page> &page = global_[number];
    if (!page) page = std::make_unique<Page>();
    lastNumber_ = number;
    lastPage_ = page.get();
  }
  return (*lastPage_)[place % kPageBytes];
}

bool MemoryWatch::ordered(const Last &earlier, const WatchedAccess &access) const {
  bool own = subgroupOf(earlier.item) == subgroupOf(access.item);
  if (launch_.sameMemory && (!access.local || access.atomic) && !own) return true;
  return causality_.knows(access.item, earlier.item, earlier.time);
}

std::optional<UnorderedAccess> MemoryWatch::conflict(const Byte &byte, const WatchedAccess &access, uint64_t place) const {
  auto found = [&](const Last &last, bool wrote) {
    return UnorderedAccess{place, access.local, last.item, last.site, wrote, byte.inFlight};
  };
  if (byte.inFlight) return found(byte.write, true);
  if (!ordered(byte.write, access)) return found(byte.write, true);
  bool alike = access.atomic && (!launch_.sameMemory || byte.atomic.site == access.site);
  if (!alike && !ordered(byte.atomic, access)) return found(byte.atomic, true);
  if (!access.writes) return std::nullopt;
  for (const Last *read : {&byte.read, &byte.readBeside, &byte.readElsewhere})
    if (!ordered(*read, access)) return found(*read, false);
  return std::nullopt;
}

void MemoryWatch::noteRead(Byte &byte, const Last &now) const {
  if (subgroupOf(byte.read.item) != subgroupOf(now.item)) {
    byte.readElsewhere = byte.read;
    byte.readBeside = {};
  } else if (byte.read.item != now.item) {
    byte.readBeside = byte.read;
  }
  byte.read = now;
}

void MemoryWatch::note(Byte &byte, const WatchedAccess &access) const {
  Last now{causality_.now(), static_cast<uint16_t>(access.item), access.site};
  if (access.atomic && access.writes)
    byte.atomic = now;
  else if (access.atomic)
    return;
  else if (access.writes)
    byte.write = now;
  else
    noteRead(byte, now);
}

std::optional<UnorderedAccess> MemoryWatch::access(const WatchedAccess &access) {
  for (uint64_t place = access.place; place < access.place + access.bytes; ++place) {
    Byte &byte = at(access.local, place);
    if (auto found = conflict(byte, access, place)) return found;
    note(byte, access);
  }
  return std::nullopt;
}

std::optional<UnorderedAccess> MemoryWatch::beginCopy(const WatchedAccess &access) {
  if (auto found = this->access(access)) return found;
  for (uint64_t place = access.place; place < access.place + access.bytes; ++place) local_[place].inFlight = true;
  return std::nullopt;
}

void MemoryWatch::landCopy(const WatchedAccess &access) {
  for (uint64_t place = access.place; place < access.place + access.bytes; ++place) {
    local_[place].inFlight = false;
    note(local_[place], access);
  }
}

} // namespace xt::soft
