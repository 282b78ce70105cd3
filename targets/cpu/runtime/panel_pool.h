// Memory that the workgroups of one launch share: packed panels of operand `b` of a nest, and operand `b` of a tile_mma in the
// form in which it is multiplied.
#pragma once
#include "targets/cpu/runtime/scratch_memory.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace xt {

// The memory, at most kMostBytes, is kept from launch to launch; its content is not. Each worker fills its own memory, which
// its cache still holds from the launch before.
class PanelPool {
public:
  // Called before a launch with this number of workers: forgets all panels.
  void reset(int workers);

  struct Request {
    std::string_view key; // names the panel within the launch
    int64_t bytes;        // the same for each request of a key, like `isOwn`
    bool isOwn;           // each worker gets its own copy
    int worker;           // the requesting worker, of the launch's ThreadPool
  };
  struct Taken {
    void *panel = nullptr; // null: the caller packs in its own memory
    bool fill = false;     // the caller packs here, and then calls ready()
  };
  // Returns a panel that is aligned to a cache line. Called by all threads of a launch. If another worker is packing the panel,
  // waits for it for a limited time.
  Taken take(const Request &request);
  // Called by the worker that had to fill the panel.
  void ready(void *panel, int worker);

private:
  static constexpr int64_t kMostBytes = int64_t{256} << 20; // for all workers; each may use an equal share
  static constexpr int64_t kSlabBytes = int64_t{4} << 20;
  struct Slab { // memory that panels are allocated from
    ScratchMemory memory;
    int64_t bytes, used;
  };
  struct Panel {
    Panel(void *place, int worker) : memory(place), filler(worker) {}
    void *const memory;
    const int filler;
    std::atomic<bool> ready{false};
  };
  // Allows lookups without constructing a string.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Known = std::unordered_map<std::string, Panel *, Hash, std::equal_to<>>;
  struct alignas(64) Owner { // the panels that one worker fills; no other worker changes them
    std::vector<Slab> slabs;
    std::deque<Panel> panels; // in a deque, because panels must keep their addresses
    Known known; // all panels that the worker has taken, filled by itself or by another; looked up without the lock
    int64_t bytes = 0; // size of the slabs
  };
  Panel *takeFirst(const Request &request);
  Panel *add(const Request &request);
  void *allocate(int64_t bytes, Owner &owner);
  bool addSlab(int64_t bytes, Owner &owner);

  std::vector<Owner> owners_ = std::vector<Owner>(1);
  std::mutex mutex_;
  Known shared_; // guarded by mutex_
};

} // namespace xt

// Called by name from compiled kernels (runtime_symbols.cc). `launch` is the LaunchOutput; `fill` is set to 0 or 1.
extern "C" {
void *xt_panel_take(void *launch, const void *key, int64_t keyBytes, int64_t bytes, int64_t isOwn, int64_t *fill);
void xt_panel_ready(void *launch, void *panel);
}
