#include "targets/soft/counting_barriers.h"

#include "ir/base/text.h"
#include "targets/soft/workgroup.h"

#include <algorithm>

namespace xt::soft {
namespace {

// What is wrong with an arrival; empty if nothing is.
std::string mistakeOf(const Workgroup &group, const CountingBarrier &barrier, uint32_t number, uint32_t threads,
                      size_t subgroup) {
  const Launch &launch = group.launch();
  if (!number || number >= CountingBarriers().size())
    return str("there is no barrier ", number, ": a workgroup has barriers 1 to ", CountingBarriers().size() - 1,
               ", and barrier 0 is that of all its threads");
  if (!threads || threads % launch.subgroupSize || threads > launch.items())
    return str("barrier ", number, " is for ", threads, " threads, which must be warps of ", launch.subgroupSize,
               " threads, and at most the ", launch.items(), " of the workgroup");
  if (barrier.arrived.empty()) return "";
  if (barrier.threads != threads)
    return str("barrier ", number, " is for ", threads, " threads here, but for ", barrier.threads, " where subgroup ",
               barrier.arrived[0], " has come");
  if (std::ranges::find(barrier.arrived, subgroup) != barrier.arrived.end())
    return str("subgroup ", subgroup, " comes to barrier ", number,
               " again before the others have come: it counts for one of them");
  return "";
}

void come(Meeting &meeting, bool waits) {
  if (!meeting.uniform(0, 4, "the barrier") || !meeting.uniform(1, 4, "the number of threads")) return;
  Workgroup &group = meeting.group();
  auto number = meeting.argument<uint32_t>(0, 0), threads = meeting.argument<uint32_t>(0, 1);
  size_t subgroup = group.launch().subgroupOf(meeting.first()), lanes = group.launch().subgroupSize;
  CountingBarrier &barrier = group.countingBarriers()[number % CountingBarriers().size()];
  if (std::string mistake = mistakeOf(group, barrier, number, threads, subgroup); !mistake.empty())
    return meeting.fail(std::move(mistake));
  barrier.threads = threads;
  barrier.arrived.push_back(subgroup);
  group.comeToBarrier(meeting.first(), meeting.count(), barrier.known);
  if (waits) barrier.waiting.push_back(subgroup);
  if (barrier.arrived.size() * lanes < threads) {
    if (waits) meeting.stay();
    return;
  }
  for (size_t each : barrier.waiting) {
    group.leaveBarrier(each * lanes, lanes, barrier.known);
    group.release(each * lanes, lanes);
  }
  barrier = {};
}

} // namespace

std::optional<Collective> countingBarrier(const BuiltinName &name) {
  if (name.name == kSyncCountedName)
    return Collective{"barrier.cta.sync", kOfSubgroup, [](Meeting &meeting) { come(meeting, true); }};
  if (name.name == kArriveCountedName)
    return Collective{"barrier.cta.arrive", kOfSubgroup, [](Meeting &meeting) { come(meeting, false); }};
  return std::nullopt;
}

} // namespace xt::soft
