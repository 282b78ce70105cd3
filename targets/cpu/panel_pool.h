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

// The memory, at most kMostBytes, stays from launch to launch; what lies in it does not. Each worker fills memory of its own, which
// its cache still has from the launch before: where two took turns with one's, f32 512x512x512 took 1.1 times as long with two
// threads (Intel Xeon with AMX).
class PanelPool {
public:
  // Before a launch by so many workers: all panels are forgotten.
  void reset(int workers);

  struct Request {
    std::string_view key; // names the panel within the launch
    int64_t bytes;        // as is `isOwn`, the same each time
    bool isOwn;           // each worker is to have one of its own
    int worker;           // of the launch's ThreadPool: asks
  };
  struct Taken {
    void *panel = nullptr; // null: the caller packs in memory of its own
    bool fill = false;     // the caller packs here, and says so by ready()
  };
  // At a multiple of a cache line. From all threads of one launch. One that another worker is packing is waited for, not for ever.
  Taken take(const Request &request);
  // By the worker that was to fill it.
  void ready(void *panel, int worker);

private:
  static constexpr int64_t kMostBytes = int64_t{256} << 20; // of which each worker may have its share
  static constexpr int64_t kSlabBytes = int64_t{4} << 20;
  struct Slab { // of which panels are parts
    ScratchMemory memory;
    int64_t bytes, used;
  };
  struct Panel {
    Panel(void *place, int worker) : memory(place), filler(worker) {}
    void *const memory;
    const int filler;
    std::atomic<bool> ready{false};
  };
  // A key is looked for without a string of its own.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Known = std::unordered_map<std::string, Panel *, Hash, std::equal_to<>>;
  struct alignas(64) Owner { // a worker: what it fills. No other one changes it.
    std::vector<Slab> slabs;
    std::deque<Panel> panels; // stay where they are
    Known known;              // what it has taken, its own or another's: found again without the lock
    int64_t bytes = 0;        // of the slabs
  };
  Panel *takeFirst(const Request &request);
  Panel *add(const Request &request);
  void *allocate(int64_t bytes, Owner &owner);
  bool addSlab(int64_t bytes, Owner &owner);

  std::vector<Owner> owners_ = std::vector<Owner>(1);
  std::mutex mutex_;
  Known shared_; // under the lock
};

} // namespace xt

// Called by name from compiled kernels (runtime_symbols.cc); `launch`: the LaunchOutput. `fill` takes 0 or 1.
extern "C" {
void *xt_panel_take(void *launch, const void *key, int64_t keyBytes, int64_t bytes, int64_t isOwn, int64_t *fill);
void xt_panel_ready(void *launch, void *panel);
}
