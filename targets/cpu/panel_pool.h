// What the workgroups of one launch share: packed panels of a nest's b, and b of a tile_mma as it is multiplied.
#pragma once
#include "targets/cpu/scratch_memory.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace xt {

// To look for a panel takes as long as to pack a few KiB.
inline constexpr int64_t kLeastSharedBytes = 8 << 10;

// The memory, at most kMostBytes, stays from launch to launch; what lies in it does not. From all threads of one launch. Each worker
// fills memory of its own, which its cache still has from the launch before: where two took turns with one's, f32 512x512x512 took
// 1.1 times as long with two threads (Intel Xeon with AMX).
class PanelPool {
public:
  // Before a launch: all panels are forgotten.
  void reset();

  struct Taken {
    void *panel = nullptr; // null: the caller packs in memory of its own
    bool fill = false;     // the caller packs here, and says so by ready()
  };
  // The panel that `key` names, at a multiple of a cache line; `bytes` is the same each time. `worker`: of the launch's
  // ThreadPool. One that another thread is packing is waited for, not for ever.
  Taken take(std::string_view key, int64_t bytes, int worker = 0);
  void ready(void *panel);

private:
  static constexpr int64_t kMostBytes = int64_t{256} << 20;
  static constexpr int64_t kSlabBytes = int64_t{4} << 20;
  struct Slab {
    ScratchMemory memory;
    int64_t bytes, used;
    int worker;
  };
  struct Panel {
    void *memory = nullptr;
    std::atomic<bool> ready{false}; // is looked at without the lock
  };
  std::unique_lock<std::mutex> locked();
  void *allocate(int64_t bytes, int worker);
  bool addSlab(int64_t bytes, int worker);

  std::mutex mutex_;
  std::vector<Slab> slabs_; // of which panels are parts
  std::deque<Panel> panels_; // stay where they are
  // A key is looked for without a string of its own.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, Panel *, Hash, std::equal_to<>> known_;
};

} // namespace xt

// Called by name from compiled kernels (jit.cc); `launch`: the LaunchOutput. `fill` takes 0 or 1.
extern "C" {
void *xt_panel_take(void *launch, const void *key, int64_t keyBytes, int64_t bytes, int64_t *fill);
void xt_panel_ready(void *launch, void *panel);
}
