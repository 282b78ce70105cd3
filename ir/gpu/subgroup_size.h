// The limit on subgroups per workgroup, and the subgroup size for kernels that leave it to the target.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/type.h"

#include <vector>

namespace xt {

class Kernel;

inline constexpr int64_t kMostSubgroups = 1024; // per workgroup, on every target

// The number of lanes over which the layout of a vector or a tile distributes it; 1 without such a layout.
int64_t lanesOf(Type type);

// The least number of lanes that is a multiple of the number of lanes of each layout in the kernel; 1 if no layout mentions
// lanes. Saturates at kMostStatedLanes.
inline constexpr int64_t kMostStatedLanes = int64_t{1} << 32;
int64_t statedLanes(const Kernel &kernel);

// The subgroup sizes with which the target can run the kernel: the size that matrix products need if the kernel contains any,
// else all sizes, in the target's order; of these the multiples of statedLanes(kernel). A subgroup may have more lanes than a
// layout: the remaining lanes hold copies. Empty if a layout has a number of lanes that the target cannot provide.
std::vector<int64_t> subgroupSizesFor(const TargetInfo &target, const Kernel &kernel);
// The same for another number of lanes in place of statedLanes(kernel).
std::vector<int64_t> subgroupSizesFor(const TargetInfo &target, const Kernel &kernel, int64_t stated);

// The subgroup size for a kernel at workgroup or subgroup scope. If subgroupSizesFor contains the size that the target's matrix
// products need, it is that size. Otherwise it is the first size with which the workgroup fits, or the smallest if none fits.
// The target's smallest size if subgroupSizesFor is empty.
int64_t subgroupSizeFor(const TargetInfo &target, const Kernel &kernel);

} // namespace xt
