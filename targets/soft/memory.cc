#include "targets/soft/memory.h"

#include "ir/base/text.h"
#include "targets/soft/round_up.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

namespace xt::soft {
namespace {

constexpr size_t kBufferAlignment = 64; // the alignment of a cache line, and of the base of a block message
constexpr size_t kGuardBytes = 1 << 16;
// reports relate an address to an allocation only if it is nearer than this
constexpr uint64_t kNear = 1 << 20;

} // namespace

const Allocation *findAllocation(const MemoryMap &map, uint64_t address) {
  auto after = std::upper_bound(map.begin(), map.end(), address,
                                [](uint64_t value, const Allocation &each) { return value < each.begin; });
  if (after == map.begin()) return nullptr;
  const Allocation &found = *std::prev(after);
  return found.contains(address, 1) ? &found : nullptr;
}

bool isReachable(const MemoryMap &map, uint64_t address) {
  const Allocation *found = findAllocation(map, address);
  return found && found->reaches(address, 1);
}

std::string whereIs(const MemoryMap &map, uint64_t address) {
  const Allocation *nearest = nullptr;
  uint64_t distance = kNear;
  bool beyond = false;
  for (const Allocation &each : map) {
    bool before = address < each.buffer;
    uint64_t end = each.buffer + each.bufferBytes, away = before ? each.buffer - address : address - end;
    if (away >= distance || (!before && address < end)) continue;
    nearest = &each, distance = away, beyond = !before;
  }
  if (!nearest) return "far from any allocation";
  return str(distance, beyond ? " bytes beyond the end of " : " bytes before ",
             *nearest->name ? str(nearest->name, ",") : "an allocation", " of ", nearest->bufferBytes, " bytes");
}

struct DeviceMemory::State {
  struct Mapping {
    void *base = nullptr;
    size_t bytes = 0;
  };
  mutable std::mutex mutex;
  std::map<uint64_t, std::pair<Allocation, Mapping>> live;
  std::shared_ptr<const MemoryMap> map = std::make_shared<MemoryMap>();
  std::set<std::string> names; // names of buffers
  uint64_t made = 0;

  void publish() {
    auto next = std::make_shared<MemoryMap>();
    for (const auto &[begin, each] : live) next->push_back(each.first);
    map = std::move(next);
  }
};

DeviceMemory::DeviceMemory() : state_(std::make_unique<State>()) {}

DeviceMemory &DeviceMemory::instance() {
  static DeviceMemory *only = new DeviceMemory;
  return *only;
}

void *DeviceMemory::allocate(size_t bytes, size_t alignment, MemoryKind kind) {
  alignment = std::max(alignment, kBufferAlignment);
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (bytes > SIZE_MAX / 2 || alignment > SIZE_MAX / 8) return nullptr;
  size_t room = roundUp(bytes, page) + (alignment > page ? alignment : 0);
  size_t total = room + 2 * kGuardBytes;
  void *base = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  char *first = static_cast<char *>(base) + kGuardBytes;
  if (room && mprotect(first, room, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, total);
    return nullptr;
  }
  uint64_t begin = (reinterpret_cast<uint64_t>(first) + room - bytes) & ~(static_cast<uint64_t>(alignment) - 1);
  std::lock_guard lock(state_->mutex);
  state_->live[begin] = {Allocation{begin, bytes, kind, ++state_->made, begin, bytes}, {base, total}};
  state_->publish();
  return reinterpret_cast<void *>(begin);
}

bool DeviceMemory::free(void *pointer) {
  std::lock_guard lock(state_->mutex);
  auto found = state_->live.find(reinterpret_cast<uint64_t>(pointer));
  if (found == state_->live.end()) return false;
  munmap(found->second.second.base, found->second.second.bytes);
  state_->live.erase(found);
  state_->publish();
  return true;
}

bool DeviceMemory::setBuffer(void *pointer, size_t first, size_t bytes, const std::string &name) {
  std::lock_guard lock(state_->mutex);
  auto found = state_->live.find(reinterpret_cast<uint64_t>(pointer));
  if (found == state_->live.end()) return false;
  Allocation &allocation = found->second.first;
  if (first > allocation.bytes || bytes > allocation.bytes - first) return false;
  allocation.buffer = allocation.begin + first;
  allocation.bufferBytes = bytes;
  allocation.name = state_->names.insert(name).first->c_str();
  state_->publish();
  return true;
}

std::optional<Allocation> DeviceMemory::find(const void *address) const {
  std::shared_ptr<const MemoryMap> now = map();
  const Allocation *found = findAllocation(*now, reinterpret_cast<uint64_t>(address));
  return found ? std::optional(*found) : std::nullopt;
}

std::shared_ptr<const MemoryMap> DeviceMemory::map() const {
  std::lock_guard lock(state_->mutex);
  return state_->map;
}

} // namespace xt::soft
