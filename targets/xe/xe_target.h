// Targets that compile to SPIR-V and run it through Level Zero or OpenCL: `xe` compiles for the device that is present,
// `spirv` for any device, and the others for the Intel GPUs that they name. Without a GPU, the software device is used.
#pragma once
#include "targets/gpu/kernel_abi.h"
#include "targets/target.h"

namespace xt {

// "xe", then one target for each TargetInfo.
std::vector<Target *> xeTargets();

// Returns `target` for code that makes only these assumptions: without `blockRules`, the target has no messages that have
// rules for memory; without `disjoint`, passes may not rely on the forms `disjoint` and `disjoint_or_same`.
TargetInfo assuming(const TargetInfo &target, GpuAssumptions assumptions);

} // namespace xt
