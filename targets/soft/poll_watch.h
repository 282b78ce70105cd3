// Detects work-items that wait forever by polling shared local memory.
//
// Any other action of a work-item of the group begins a new epoch. If in one epoch every live work-item has polled twice, or
// waits in a collective operation, nothing can change the polled memory any more: the second poll of each came after the last
// change.
#pragma once
#include "targets/soft/work_items.h"

namespace xt::soft {

class PollWatch {
public:
  void reset() { polling_ = quiet_ = 0; }
  void beginEpoch();
  // Called before and after a loop that polls.
  void enter(WorkItem &item);
  void leave(WorkItem &item);
  // Counts one poll. Returns whether all work-items that poll have now polled twice in this epoch.
  bool poll(WorkItem &item, uint64_t address, uint64_t bytes);

private:
  uint64_t epoch_ = 0;             // a new one begins when a work-item does anything but poll
  size_t polling_ = 0, quiet_ = 0; // number of work-items that poll, and of those that have polled twice in this epoch
};

} // namespace xt::soft
