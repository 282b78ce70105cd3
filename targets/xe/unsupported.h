// Kernels that a device cannot run whatever their code is.
#pragma once
#include "ir/module.h"
#include "ir/target_info.h"

namespace xt {

// "it uses f64, which xe-dg2 does not have"; "": it can run there.
std::string whyUnsupported(const Kernel &kernel, const TargetInfo &target);

} // namespace xt
