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

void PanelPool::reset() {
  std::lock_guard lock(mutex_);
  for (Slab &slab : slabs_) slab.used = 0;
  panels_.clear();
  known_.clear();
}

// In the worker's first slab with room: panels are mostly alike, so that few are looked at in vain.
void *PanelPool::allocate(int64_t bytes, int worker) {
  bytes = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  auto withRoom = [&] { return std::find_if(slabs_.begin(), slabs_.end(), [&](const Slab &slab) { return slab.worker == worker && slab.bytes - slab.used >= bytes; }); };
  if (withRoom() == slabs_.end() && !addSlab(std::max(bytes, kSlabBytes), worker)) return nullptr;
  Slab &slab = *withRoom();
  void *place = static_cast<unsigned char *>(slab.memory.get()) + slab.used;
  slab.used += bytes;
  return place;
}

bool PanelPool::addSlab(int64_t bytes, int worker) {
  auto total = [&] { return std::accumulate(slabs_.begin(), slabs_.end(), int64_t{0}, [](int64_t sum, const Slab &slab) { return sum + slab.bytes; }); };
  // What other launches needed makes way.
  if (bytes > kMostBytes - total()) std::erase_if(slabs_, [](const Slab &slab) { return slab.used == 0; });
  if (bytes > kMostBytes - total()) return false;
  ScratchMemory memory = allocateScratch(static_cast<size_t>(bytes));
  if (!memory) return false;
  slabs_.push_back({std::move(memory), bytes, 0, worker});
  return true;
}

// What is done under the lock takes less time than to sleep until it is free.
std::unique_lock<std::mutex> PanelPool::locked() {
  constexpr std::chrono::microseconds kMost{20};
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock && !lookFor(kMost, [&] { return lock.try_lock(); })) lock.lock();
  return lock;
}

PanelPool::Taken PanelPool::take(std::string_view key, int64_t bytes, int worker) {
  Panel *panel;
  {
    std::unique_lock lock = locked();
    auto found = known_.find(key);
    if (found == known_.end()) {
      void *memory = allocate(bytes, worker);
      if (!memory) return {};
      panels_.emplace_back().memory = memory;
      known_.emplace(key, &panels_.back());
      return {memory, true};
    }
    panel = found->second;
  }
  return lookFor(kLongest, [&] { return panel->ready.load(); }) ? Taken{panel->memory, false} : Taken{};
}

void PanelPool::ready(void *memory) {
  std::unique_lock lock = locked();
  for (size_t i = panels_.size(); i-- > 0;)
    if (panels_[i].memory == memory) {
      panels_[i].ready.store(true);
      return;
    }
}

} // namespace xt

extern "C" {
void *xt_panel_take(void *launch, const void *key, int64_t keyBytes, int64_t bytes, int64_t *fill) {
  xt::PanelPool *pool = static_cast<xt::LaunchOutput *>(launch)->panels();
  if (!pool) return nullptr;
  xt::PanelPool::Taken taken = pool->take({static_cast<const char *>(key), static_cast<size_t>(keyBytes)}, bytes, xt::ThreadPool::currentWorker());
  *fill = taken.fill;
  return taken.panel;
}
void xt_panel_ready(void *launch, void *panel) { static_cast<xt::LaunchOutput *>(launch)->panels()->ready(panel); }
}
