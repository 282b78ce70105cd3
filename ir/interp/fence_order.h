// How fences and atomics order the accesses of different workgroups, and of workers of one workgroup without a barrier: what a
// worker did before a fence is visible to a worker that reads, by an atomic, what an atomic behind that fence wrote, once it has
// passed a fence of its own. Barriers pass this on within a workgroup.
#pragma once
#include "ir/interp/barrier_clocks.h"
#include "ir/interp/shadow.h"

#include <memory>
#include <unordered_map>

namespace xt {

class FenceOrder {
public:
  // `clocks` must outlive the object, which advances them.
  FenceOrder(BarrierClocks &clocks, size_t workers) : clocks_(clocks), workers_(workers) {}

  void enter(uint32_t workgroup); // must be called before each workgroup
  void fence(size_t worker); // a fence for all workgroups
  void accesses(size_t worker); // an access that is not atomic
  void updates(size_t worker, const unsigned char *place); // an atomic; `place` is its element
  // Workers pass a barrier: all, one of a subgroup's (LaneMeeting), or those of a named barrier, as in BarrierClocks.
  void meet();
  void arrived(size_t worker, size_t barrier, uint64_t round);
  void passed(size_t worker, size_t barrier, uint64_t round);
  // Whether what `worker` does from now on is ordered after an earlier access.
  bool comesAfter(size_t worker, const Touch &other) const;

private:
  // By workgroup: the latest times of its workers. The parts are shared because there may be many workgroups.
  using Clock = std::shared_ptr<const std::vector<uint32_t>>;
  using View = std::map<uint32_t, Clock>;
  using ViewRef = std::shared_ptr<const View>; // null: empty
  static ViewRef merged(const ViewRef &a, const ViewRef &b);
  ViewRef own(size_t worker) const; // what `worker` did itself, and what barriers order before it

  struct Worker {
    ViewRef acquired; // what is ordered before its next access
    ViewRef pending; // what a fence would acquire: it has been read by atomics
    ViewRef published; // what atomics pass on
    bool clean = false; // whether it has made no plain access since its last fence
    void learn(const Worker &other);
  };

  BarrierClocks &clocks_;
  uint32_t workgroup_ = 0;
  std::vector<Worker> workers_;
  std::map<std::pair<size_t, uint64_t>, Worker> rounds_; // as in BarrierClocks
  std::unordered_map<const unsigned char *, ViewRef> released_; // by element, used for lookup only
};

} // namespace xt
