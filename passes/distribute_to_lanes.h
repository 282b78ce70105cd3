// distribute-to-lanes: gives each lane of a subgroup its elements of the subgroup's blocks. Vectors become fragments, block
// messages and dpas their forms for single lanes (sg_map), tiles windows onto what one lane loads or stores; reductions
// and what else needs elements of other lanes become shuffles. Where a lane may meet what another one accessed, a
// subgroup_barrier orders them. What the kernel computes stays the same; the terms of a reduction are added in another
// order. Kernels at lane scope stay as they are.
#pragma once
#include "passes/pass.h"

namespace xt {

// Kernels at workgroup scope are an error: distribute-to-subgroups and block-tiles come first.
Result<void> distributeToLanes(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
