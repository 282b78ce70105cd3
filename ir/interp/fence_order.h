// How fences and atomics order the accesses of different workgroups, and of workers of one workgroup without a barrier: what a
// worker did before a fence is visible to a worker that reads, by an atomic, what an atomic behind that fence wrote, once it has
// passed a fence of its own. Barriers pass this on within a workgroup. Fences and atomics of the scope `workgroup` do so for the
// workers of one workgroup only.
#pragma once
#include "ir/interp/barrier_clocks.h"
#include "ir/interp/shadow.h"

#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace xt {

class FenceOrder {
public:
  // `clocks` must outlive the object, which advances them.
  FenceOrder(BarrierClocks &clocks, size_t workers) : clocks_(clocks), workers_(workers) {}

  void enter(uint32_t workgroup); // must be called before each workgroup
  void fence(size_t worker, bool device);
  struct Update {
    const unsigned char *place = nullptr; // the element
    bool device = true; // whether it is atomic with other workgroups
    bool local = false; // whether the element is in shared local memory
    bool writes = true; // false: a compare and swap that has found another value
  };
  void updates(size_t worker, const Update &update);
  // Workers pass a barrier: all, or as in BarrierClocks.
  void meet();
  void arrived(size_t worker, size_t barrier, uint64_t round);
  void passed(size_t worker, size_t barrier, uint64_t round);
  // Whether what `worker` does from now on is ordered after an earlier access.
  bool comesAfter(size_t worker, const Touch &other);
  // Whether the workgroup has updated the element, and passed a fence since: updates of earlier workgroups are over.
  bool settled(const unsigned char *place) const { return settled_.contains(place); }

private:
  // A set of workgroups with the latest times of their workers, as a node of a graph: the union of two sets, or one workgroup.
  // Unions take constant time, because a kernel may have many workgroups.
  using View = uint32_t; // 0: empty; else 1 plus the number of the node
  struct Node {
    View first = 0, second = 0;
    uint32_t workgroup = 0;
    std::vector<uint32_t> times; // empty: the union of `first` and `second`
  };
  using Times = std::unordered_map<uint32_t, std::vector<uint32_t>>; // by workgroup; used for lookup only

  View merged(View a, View b);
  View own(size_t worker); // what `worker` did itself, and what barriers order before it
  const Times &timesOf(View view);

  struct Scoped { // for all workgroups, and for the own one only
    View device = 0, local = 0;
  };
  struct Worker {
    View acquired = 0; // what is ordered before its next access
    Scoped pending; // what a fence would acquire: it has been read by atomics
    Scoped published; // what atomics pass on
  };
  void learn(Worker &into, const Worker &other);

  BarrierClocks &clocks_;
  uint32_t workgroup_ = 0;
  std::vector<Worker> workers_;
  std::map<std::pair<size_t, uint64_t>, Worker> rounds_; // as in BarrierClocks
  std::deque<Node> nodes_;
  std::unordered_map<uint64_t, View> unions_; // of the workgroup; used for lookup only
  std::unordered_map<View, Times> times_; // of the workgroup; used for lookup only
  std::unordered_map<const unsigned char *, View> released_; // by element, used for lookup only
  std::unordered_map<const unsigned char *, View> releasedInside_; // by the workgroup itself
  std::vector<const unsigned char *> updated_; // since the last fence of the workgroup
  std::unordered_set<const unsigned char *> settled_; // used for lookup only
};

} // namespace xt
