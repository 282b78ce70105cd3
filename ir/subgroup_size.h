// How many subgroups a workgroup has at most, and how many lanes a subgroup has where the kernel leaves it to the target.
#pragma once
#include "ir/target_info.h"

namespace xt {

inline constexpr int64_t kMostSubgroups = 1024; // of a workgroup, whatever the target

// The size for a kernel of so many subgroups: the one that the target's products need; without products the first in the
// target's order with which the workgroup fits, or where none fits the smallest.
int64_t subgroupSizeFor(const TargetInfo &target, int64_t subgroups);

} // namespace xt
