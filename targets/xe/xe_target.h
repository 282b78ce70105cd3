// Intel GPUs through Level Zero as targets: `xe` compiles for the device that is present, the others for the hardware that they
// name. Without a GPU, the software device is used.
#pragma once
#include "targets/target.h"
#include "targets/xe/kernel_abi.h"

namespace xt {

// "xe", then one target for each TargetInfo.
std::vector<Target *> xeTargets();

// What passes may use of `target` for code that assumes no more than this of its buffers: without blockRules, no messages that
// have rules for memory; without disjoint, no forms `disjoint` and `disjoint_or_same`.
TargetInfo assuming(const TargetInfo &target, XeAssumptions assumptions);

} // namespace xt
