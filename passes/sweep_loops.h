// Replaces work on large tiles by loops over parts of them, so that the code does not grow with the size of the tiles.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/module.h"

namespace xt {

// Replaces ops that load large tiles, compute their elements independently of each other and store the results by loops that do
// the same for parts of the tiles. If this assumes something of the arguments, the kernel gets a form that says so, which the
// target checks at launches. For kernels at subgroup scope.
void formSweepLoops(Kernel &kernel, const TargetInfo &target, Context &context);

} // namespace xt
