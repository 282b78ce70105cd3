// At which named barriers each subgroup of a kernel arrives, and in which order.
#pragma once
#include "ir/module.h"

#include <string>

namespace xt {

// An arrival of a subgroup at a barrier, for which it waits until all have come, or not.
struct BarrierEvent {
  // The barrier of the whole workgroup, and a loop that may wait for what others write.
  static constexpr int64_t kWorkgroup = INT64_MIN, kLoop = INT64_MIN + 1;
  bool isNamed() const { return barrier != kWorkgroup && barrier != kLoop; }
  int64_t barrier = 0; // its number
  int64_t role = 0, producers = 0, consumers = 0;
  const Op *arrive = nullptr, *wait = nullptr; // wait: null if it does not wait
};

// One event, or a loop with events that runs any number of times.
struct BarrierStep {
  BarrierEvent event;              // if `steps` is empty
  std::vector<BarrierStep> steps; // of the loop
};

struct BarrierSteps {
  std::vector<BarrierStep> steps;
  std::string unknown; // not empty: why the events are not known
};
// What a subgroup does. Its branches must follow from its number. It must wait for a named barrier directly after it has arrived there,
// with no other event in between, or not at all.
BarrierSteps barrierSteps(const Kernel &kernel, int64_t subgroup);

} // namespace xt
