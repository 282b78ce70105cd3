// Named barriers as barriers of a GPU that only count the subgroups that come, whoever they are.
//
// Such a barrier does what a named barrier does if its number of subgroups, producers and consumers together, is known, exactly these
// subgroups come, and none of them comes again before the others have come. A subgroup that waits cannot come again too early.
// One that only arrives cannot if, before it arrives again, it waits at another barrier for a subgroup which has waited at this one since.
#pragma once
#include "ir/module.h"

#include <map>
#include <string>

namespace xt {

// The code of an nbarrier_arrive or nbarrier_wait.
struct BarrierPlace {
  enum class How : uint8_t { Nothing, Arrive, Sync }; // Nothing: the wait behind it is the arrival too
  How how = How::Nothing;
  int64_t subgroups = 0; // that take part, including this one
  bool operator==(const BarrierPlace &) const = default;
};

struct BarrierPlan {
  std::map<const Op *, BarrierPlace> places; // for lookup only
  std::string missing; // not empty: why there is no plan
};
// A plan for all named barriers of a kernel at subgroup or lane scope, of which 0 to `count` - 1 are allocated and on the GPU.
BarrierPlan planBarriers(const Kernel &kernel, int64_t count);

} // namespace xt
