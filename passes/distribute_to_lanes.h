// distribute-to-lanes: gives each lane of a subgroup its elements of the subgroup's blocks. Vectors become fragments, block
// messages and dpas get their per-lane forms (sg_map), and tiles become windows onto the elements that one lane loads or
// stores. Reductions and other ops that need elements of other lanes become shuffles. A subgroup_barrier orders accesses of
// different lanes that may touch the same memory. Results stay the same, except that the terms of a reduction are added in
// another order. Kernels at lane scope stay as they are.
#pragma once
#include "passes/pass.h"

namespace xt {

// Kernels at workgroup scope are an error: run distribute-to-subgroups and block-tiles first.
Result<void> distributeToLanes(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
