// Replaces work on large tiles by loops over parts of them, so that code does not grow with tiles.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/module.h"

namespace xt {

// Replaces what loads large tiles, computes their elements independently of each other and stores the results by loops
// that do the same for parts of the tiles. States in the kernel's form what this assumes of the arguments, if the target
// checks it at launches. For kernels at subgroup scope.
void formSweepLoops(Kernel &kernel, const TargetInfo &target, Context &context);

} // namespace xt
