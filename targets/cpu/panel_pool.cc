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
  used_ = 0;
  known_.clear();
}

bool PanelPool::addSlab() {
  int64_t each = (bytes_ + kCacheLine - 1) / kCacheLine * kCacheLine, count = std::max<int64_t>(1, kSlabBytes / each);
  if (static_cast<int64_t>(panels_.size()) + count > kMostBytes / each) return false;
  ScratchMemory slab = allocateScratch(static_cast<size_t>(count * each));
  if (!slab) return false;
  for (int64_t i = 0; i < count; ++i) panels_.push_back({static_cast<unsigned char *>(slab.get()) + i * each});
  slabs_.push_back(std::move(slab));
  return true;
}

PanelPool::Taken PanelPool::take(std::string_view key, int64_t bytes) {
  size_t index;
  {
    std::lock_guard lock(mutex_);
    if (bytes_ != bytes) { // of another kernel
      if (used_ > 0) return {};
      panels_.clear();
      slabs_.clear();
      bytes_ = bytes;
    }
    auto [found, added] = known_.try_emplace(std::string(key), used_);
    if (added) {
      if (used_ == panels_.size() && !addSlab()) {
        known_.erase(found);
        return {};
      }
      Panel &panel = panels_[used_++];
      panel.ready = false;
      return {panel.memory, true};
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
  for (size_t i = used_; i-- > 0;)
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
