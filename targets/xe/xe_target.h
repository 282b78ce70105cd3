// Intel GPUs through Level Zero as targets: `xe` compiles for the device that is there, the others for the hardware that
// they name. Where there is no GPU, the software device stands in.
#pragma once
#include "targets/target.h"

namespace xt {

// "xe", then one for each TargetInfo.
std::vector<Target *> xeTargets();

// `target` without messages that have rules for memory: kernels for buffers that break them.
TargetInfo withoutBlockMessages(const TargetInfo &target);

} // namespace xt
