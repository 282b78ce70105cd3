#include "targets/cpu/panel_pool.h"

#include "targets/cpu/cpu_info.h"
#include "targets/cpu/host_runtime.h"
#include "targets/cpu/look_for.h"
#include "targets/cpu/thread_pool.h"

#include <algorithm>
#include <numeric>

namespace xt {
namespace {

constexpr std::chrono::microseconds kLongest{200}; // longer than packing takes, and a tile of rows that copies

} // namespace

void PanelPool::reset(int workers) {
  known_.clear();
  if (owners_.size() != static_cast<size_t>(workers)) owners_ = std::vector<Owner>(static_cast<size_t>(workers));
  for (Owner &owner : owners_) {
    for (Slab &slab : owner.slabs) slab.used = 0;
    owner.panels.clear();
    owner.known.clear();
  }
}

// In the first slab with room: panels are mostly alike, so that few are looked at in vain.
void *PanelPool::allocate(int64_t bytes, Owner &owner) {
  bytes = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  auto withRoom = [&] { return std::find_if(owner.slabs.begin(), owner.slabs.end(), [&](const Slab &slab) { return slab.bytes - slab.used >= bytes; }); };
  if (withRoom() == owner.slabs.end() && !addSlab(bytes, owner)) return nullptr;
  Slab &slab = *withRoom();
  void *place = static_cast<unsigned char *>(slab.memory.get()) + slab.used;
  slab.used += bytes;
  return place;
}

bool PanelPool::addSlab(int64_t bytes, Owner &owner) {
  const int64_t most = kMostBytes / static_cast<int64_t>(owners_.size());
  bytes = std::max(bytes, std::min(kSlabBytes, most));
  // What other launches needed makes way.
  if (bytes > most - owner.bytes) std::erase_if(owner.slabs, [&](const Slab &slab) { return slab.used == 0 && (owner.bytes -= slab.bytes, true); });
  if (bytes > most - owner.bytes) return false;
  ScratchMemory memory = allocateScratch(static_cast<size_t>(bytes));
  if (!memory) return false;
  owner.slabs.push_back({std::move(memory), bytes, 0});
  owner.bytes += bytes;
  return true;
}

PanelPool::Panel *PanelPool::find(Known &known, const Request &request, bool &fill) {
  auto found = known.find(request.key);
  if (found != known.end()) return found->second;
  Owner &owner = owners_[static_cast<size_t>(request.worker)];
  void *memory = allocate(request.bytes, owner);
  if (!memory) return nullptr;
  fill = true;
  owner.panels.emplace_back().memory = memory;
  return known.emplace(request.key, &owner.panels.back()).first->second;
}

PanelPool::Taken PanelPool::take(const Request &request) {
  Panel *panel;
  bool fill = false;
  if (request.isOwn) {
    panel = find(owners_[static_cast<size_t>(request.worker)].known, request, fill);
  } else {
    // What is done under the lock takes less time than to sleep until it is free.
    constexpr std::chrono::microseconds kMost{20};
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock && !lookFor(kMost, [&] { return lock.try_lock(); })) lock.lock();
    panel = find(known_, request, fill);
  }
  if (!panel) return {};
  return fill || lookFor(kLongest, [&] { return panel->ready.load(); }) ? Taken{panel->memory, fill} : Taken{};
}

void PanelPool::ready(void *memory, int worker) {
  std::deque<Panel> &panels = owners_[static_cast<size_t>(worker)].panels;
  for (size_t i = panels.size(); i-- > 0;)
    if (panels[i].memory == memory) {
      panels[i].ready.store(true);
      return;
    }
}

} // namespace xt

extern "C" {
void *xt_panel_take(void *launch, const void *key, int64_t keyBytes, int64_t bytes, int64_t isOwn, int64_t *fill) {
  xt::PanelPool *pool = static_cast<xt::LaunchOutput *>(launch)->panels();
  if (!pool) return nullptr;
  std::string_view words(static_cast<const char *>(key), static_cast<size_t>(keyBytes));
  xt::PanelPool::Taken taken = pool->take({words, bytes, isOwn != 0, xt::ThreadPool::currentWorker()});
  *fill = taken.fill;
  return taken.panel;
}
void xt_panel_ready(void *launch, void *panel) { static_cast<xt::LaunchOutput *>(launch)->panels()->ready(panel, xt::ThreadPool::currentWorker()); }
}
