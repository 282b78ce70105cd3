#include "targets/cpu/panel_pool.h"

#include "targets/cpu/cpu_info.h"
#include "targets/cpu/host_runtime.h"

#include <algorithm>

namespace xt {
namespace {

constexpr int kLooks = 4000; // about as long as packing takes

} // namespace

void PanelPool::reset() {
  std::lock_guard lock(mutex_);
  slab_ = 0;
  used_ = 0;
  panels_.clear();
  known_.clear();
}

void *PanelPool::allocate(int64_t bytes) {
  bytes = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  while (slab_ < slabs_.size() && slabs_[slab_].bytes - used_ < bytes) {
    ++slab_;
    used_ = 0;
  }
  if (slab_ == slabs_.size()) {
    int64_t size = std::max(bytes, kSlabBytes);
    if (size > kMostBytes - slabBytes_) return nullptr;
    ScratchMemory memory = allocateScratch(static_cast<size_t>(size));
    if (!memory) return nullptr;
    slabs_.push_back({std::move(memory), size});
    slabBytes_ += size;
  }
  void *place = static_cast<unsigned char *>(slabs_[slab_].memory.get()) + used_;
  used_ += bytes;
  return place;
}

PanelPool::Taken PanelPool::take(std::string_view key, int64_t bytes) {
  size_t index;
  {
    std::lock_guard lock(mutex_);
    auto [found, added] = known_.try_emplace(std::string(key), panels_.size());
    if (added) {
      void *memory = allocate(bytes);
      if (!memory) {
        known_.erase(found);
        return {};
      }
      panels_.push_back({memory});
      return {memory, true};
    }
    index = found->second;
    if (panels_[index].ready) return {panels_[index].memory, false};
  }
  for (int i = 0; i < kLooks; ++i) {
    __builtin_ia32_pause();
    if (i % 16 != 0) continue;
    std::lock_guard lock(mutex_);
    if (panels_[index].ready) return {panels_[index].memory, false};
  }
  return {};
}

void PanelPool::ready(void *memory) {
  std::lock_guard lock(mutex_);
  for (size_t i = panels_.size(); i-- > 0;)
    if (panels_[i].memory == memory) {
      panels_[i].ready = true;
      return;
    }
}

} // namespace xt

extern "C" {
void *xt_panel_take(void *launch, const void *key, int64_t keyBytes, int64_t bytes, int64_t *fill) {
  xt::PanelPool *pool = static_cast<xt::LaunchOutput *>(launch)->panels();
  if (!pool) return nullptr;
  xt::PanelPool::Taken taken = pool->take({static_cast<const char *>(key), static_cast<size_t>(keyBytes)}, bytes);
  *fill = taken.fill;
  return taken.panel;
}
void xt_panel_ready(void *launch, void *panel) { static_cast<xt::LaunchOutput *>(launch)->panels()->ready(panel); }
}
