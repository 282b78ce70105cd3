// The work-items of one workgroup: fibers that run in turn on the calling thread.
#pragma once
#include "targets/fibers/fiber.h"
#include "targets/soft/collective.h"
#include "targets/soft/launch_description.h"

#include <memory>
#include <vector>

namespace xt::soft {

struct WorkItem {
  enum class State : uint8_t { Fresh, Ready, Waiting, Finished };

  WorkItemIds ids;
  std::unique_ptr<FiberStack> stack;
  FiberContext context;
  State state = State::Fresh;
  int32_t site = -1; // site of the collective operation that it waits in
  const Collective *collective = nullptr;
  size_t index = 0;
  bool polling = false; // in a loop that waits for a change
  uint64_t polls = 0, pollEpoch = 0; // polls in epoch pollEpoch
  uint64_t polled = 0, polledBytes = 0; // address and size of the polled memory

  // Whether it waits in the same collective operation, and at the same site, as `other`.
  bool waitsWith(const WorkItem &other) const {
    return state == State::Waiting && collective == other.collective && site == other.site;
  }
};

// The work-items of a workgroup, with a queue of those that are ready to run.
class WorkItems {
public:
  explicit WorkItems(const Launch &launch);
  ~WorkItems();
  WorkItems(const WorkItems &) = delete;

  // Makes all work-items ready to call entry(argument), in order. Returns false if there is no memory for the stacks.
  bool start(const Dimensions &group, FiberContext::Entry entry, void *argument);
  // Runs the work-items. Returns when the running one leaves and no other is ready.
  void run();

  size_t size() const { return items_.size(); }
  WorkItem &operator[](size_t item) { return items_[item]; }
  const WorkItem &operator[](size_t item) const { return items_[item]; }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  WorkItem *current() const { return current_; } // null before the first run

  bool anyReady() const { return readyCount_ > 0; }
  void makeReady(size_t item) { ready_[(readyFirst_ + readyCount_++) % ready_.size()] = item; }
  // Stops scheduling: when the running work-item leaves, run() returns.
  void abandon() { abandoned_ = true; }
  // Switches from the running work-item to the next ready one; if there is none, run() returns.
  void leave();
  [[noreturn]] void leaveForEver();

private:
  WorkItem *pop();
  FiberContext &contextAfter(); // the context to switch to from the current one

  const Launch &launch_;
  std::vector<WorkItem> items_;
  std::vector<size_t> ready_; // a ring buffer
  size_t readyFirst_ = 0, readyCount_ = 0;
  bool abandoned_ = false;
  FiberContext caller_;
  WorkItem *current_ = nullptr;
};

} // namespace xt::soft
