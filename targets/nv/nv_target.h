// Targets that compile for GPUs from NVIDIA: PTX, and the software NVIDIA device to run kernels on.
#pragma once
#include "targets/target.h"

namespace xt {

// One target for each TargetInfo of GpuFamily::Nvidia.
std::vector<Target *> nvTargets();

} // namespace xt
