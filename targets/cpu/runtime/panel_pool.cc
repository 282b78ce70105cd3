#include "targets/cpu/runtime/panel_pool.h"

#include "targets/cpu/analysis/cpu_info.h"
#include "targets/cpu/runtime/host_runtime.h"
#include "targets/cpu/threads/spin_until.h"
#include "targets/cpu/threads/thread_pool.h"

#include <algorithm>

namespace xt {
namespace {

// Longer than it takes to pack a panel, or to compute a tile of rows that packs the panel while it multiplies.
constexpr std::chrono::microseconds kLongest{200};

} // namespace

void PanelPool::reset(int workers) {
  shared_.clear();
  if (owners_.size() != static_cast<size_t>(workers)) owners_ = std::vector<Owner>(static_cast<size_t>(workers));
  for (Owner &owner : owners_) {
    for (Slab &slab : owner.slabs) slab.used = 0;
    owner.panels.clear();
    owner.known.clear();
  }
}

// Allocates from the first slab with room. Panels mostly have the same size, so few slabs are tried in vain.
void *PanelPool::allocate(int64_t bytes, Owner &owner) {
  bytes = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  auto withRoom = [&] {
    return std::find_if(owner.slabs.begin(), owner.slabs.end(),
                        [&](const Slab &slab) { return slab.bytes - slab.used >= bytes; });
  };
  if (withRoom() == owner.slabs.end() && !addSlab(bytes, owner)) return nullptr;
  Slab &slab = *withRoom();
  void *place = static_cast<unsigned char *>(slab.memory.get()) + slab.used;
  slab.used += bytes;
  return place;
}

bool PanelPool::addSlab(int64_t bytes, Owner &owner) {
  const int64_t most = kMostBytes / static_cast<int64_t>(owners_.size());
  auto hasRoom = [&] { return bytes <= most - owner.bytes; };
  if (!hasRoom()) { // frees slabs that only other launches needed
    std::erase_if(owner.slabs, [](const Slab &slab) { return slab.used == 0; });
    owner.bytes = 0;
    for (const Slab &slab : owner.slabs) owner.bytes += slab.bytes;
  }
  if (!hasRoom()) return false;
  bytes = std::max(bytes, std::min(kSlabBytes, most - owner.bytes));
  ScratchMemory memory = allocateScratch(static_cast<size_t>(bytes));
  if (!memory) return false;
  owner.slabs.push_back({std::move(memory), bytes, 0});
  owner.bytes += bytes;
  return true;
}

PanelPool::Panel *PanelPool::add(const Request &request) {
  Owner &owner = owners_[static_cast<size_t>(request.worker)];
  void *memory = allocate(request.bytes, owner);
  return memory ? &owner.panels.emplace_back(memory, request.worker) : nullptr;
}

// Finds or adds a panel that the worker has not taken yet.
PanelPool::Panel *PanelPool::takeFirst(const Request &request) {
  if (request.isOwn) return add(request);
  // The lock is held for less time than it takes to sleep until it is free, so spin first.
  constexpr std::chrono::microseconds kMost{20};
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock && !spinUntil(kMost, [&] { return lock.try_lock(); })) lock.lock();
  auto found = shared_.find(request.key);
  if (found != shared_.end()) return found->second;
  Panel *panel = add(request);
  if (panel) shared_.emplace(request.key, panel);
  return panel;
}

PanelPool::Taken PanelPool::take(const Request &request) {
  Known &known = owners_[static_cast<size_t>(request.worker)].known;
  auto found = known.find(request.key);
  Panel *panel = found == known.end() ? takeFirst(request) : found->second;
  if (!panel) return {};
  const bool fills = panel->filler == request.worker;
  if (found == known.end()) {
    known.emplace(request.key, panel);
    if (fills) return {panel->memory, true};
  }
  // If this worker had to fill the panel and did not, because that workgroup failed, nobody will fill it.
  const bool isReady = panel->ready.load() || (!fills && spinUntil(kLongest, [&] { return panel->ready.load(); }));
  return isReady ? Taken{panel->memory} : Taken{};
}

void PanelPool::ready(void *memory, int worker) {
  std::deque<Panel> &panels = owners_[static_cast<size_t>(worker)].panels;
  auto panel = std::find_if(panels.rbegin(), panels.rend(), [&](const Panel &each) { return each.memory == memory; });
  if (panel != panels.rend()) panel->ready.store(true);
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
void xt_panel_ready(void *launch, void *panel) {
  static_cast<xt::LaunchOutput *>(launch)->panels()->ready(panel, xt::ThreadPool::currentWorker());
}
}
