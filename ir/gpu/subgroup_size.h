// The limit on subgroups per workgroup, and the subgroup size for kernels that leave it to the target.
#pragma once
#include "ir/gpu/target_info.h"

namespace xt {

inline constexpr int64_t kMostSubgroups = 1024; // per workgroup, on every target

// The subgroup size for a kernel of `subgroups` subgroups: the size that the target's matrix products need; without products,
// the first size in the target's order with which the workgroup fits, or the smallest if none fits.
int64_t subgroupSizeFor(const TargetInfo &target, int64_t subgroups);

} // namespace xt
