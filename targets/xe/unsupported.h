// Kernels that a device cannot run, however they are compiled.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/module.h"

namespace xt {

// Returns the reason, for example "it uses f64, which xe-dg2 does not have"; "" if the device can run the kernel.
std::string whyUnsupported(const Kernel &kernel, const TargetInfo &target);

} // namespace xt
