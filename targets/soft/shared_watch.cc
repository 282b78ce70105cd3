#include "targets/soft/shared_watch.h"

#include <algorithm>

namespace xt::soft {

SharedWatch::SharedWatch(const Launch &launch)
    : launch_(launch), bytes_(launch.localBytes), subgroupTimes_(launch.subgroups()), itemTimes_(launch.items()) {}

// Times go on from one workgroup to the next, so that nothing has to be cleared but copies that nobody waited for.
void SharedWatch::begin() {
  groupTime_ = ++now_;
  for (Byte &byte : bytes_) byte.inFlight = false;
}

bool SharedWatch::ordered(const Last &earlier, size_t item) const {
  if (earlier.time < groupTime_ || earlier.item == item || earlier.time < itemTimes_[item]) return true;
  return subgroupOf(earlier.item) == subgroupOf(item) && earlier.time < subgroupTimes_[subgroupOf(item)];
}

std::optional<UnorderedAccess> SharedWatch::conflict(const Byte &byte, const WatchedAccess &access, size_t offset) const {
  auto found = [&](const Last &last, bool wrote) {
    return UnorderedAccess{offset, last.item, last.site, wrote, byte.inFlight};
  };
  if (byte.inFlight) return found(byte.write, true);
  if (access.atomic) return std::nullopt;
  if (!ordered(byte.write, access.item)) return found(byte.write, true);
  if (!access.writes) return std::nullopt;
  for (const Last *read : {&byte.read, &byte.readElsewhere})
    if (!ordered(*read, access.item)) return found(*read, false);
  return std::nullopt;
}

void SharedWatch::note(Byte &byte, const WatchedAccess &access) const {
  Last now{now_, static_cast<uint16_t>(access.item), access.site};
  if (access.writes) {
    byte.write = now;
    return;
  }
  if (subgroupOf(byte.read.item) != subgroupOf(access.item)) byte.readElsewhere = byte.read;
  byte.read = now;
}

std::optional<UnorderedAccess> SharedWatch::access(const WatchedAccess &access) {
  for (size_t offset = access.offset; offset < access.offset + access.bytes; ++offset) {
    if (auto found = conflict(bytes_[offset], access, offset)) return found;
    if (!access.atomic) note(bytes_[offset], access);
  }
  return std::nullopt;
}

std::optional<UnorderedAccess> SharedWatch::beginCopy(const WatchedAccess &access) {
  if (auto found = this->access(access)) return found;
  for (size_t offset = access.offset; offset < access.offset + access.bytes; ++offset) bytes_[offset].inFlight = true;
  return std::nullopt;
}

void SharedWatch::landCopy(const WatchedAccess &access) {
  for (size_t offset = access.offset; offset < access.offset + access.bytes; ++offset) {
    bytes_[offset].inFlight = false;
    note(bytes_[offset], access);
  }
}

// The work-items of a subgroup share what they know from atomic accesses.
void SharedWatch::meet(size_t first, size_t count) {
  ++now_;
  if (count >= launch_.items()) {
    groupTime_ = now_;
    return;
  }
  subgroupTimes_[subgroupOf(first)] = now_;
  auto begin = itemTimes_.begin() + static_cast<std::ptrdiff_t>(first), end = begin + static_cast<std::ptrdiff_t>(count);
  std::fill(begin, end, *std::max_element(begin, end));
}

} // namespace xt::soft
