// Intel GPUs through Level Zero as targets: `xe` compiles for the device that is present, the others for the hardware that they
// name. Without a GPU, the software device is used.
#pragma once
#include "targets/target.h"

namespace xt {

// "xe", then one target for each TargetInfo.
std::vector<Target *> xeTargets();

// `target` without messages that have rules for memory, for kernels whose buffers break the rules.
TargetInfo withoutBlockMessages(const TargetInfo &target);

} // namespace xt
