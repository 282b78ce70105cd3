// How a host launches the kernels of a SPIR-V module, as JSON: `xtc --emit=meta`.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/gpu/kernel_abi.h"

#include <string>

namespace xt {

// Describes each kernel in the terms of kernel_abi.h: entry point, arguments in order, grid and workgroup size, build options,
// the outcome word and its failure numbers, and the rules that block messages require of buffers. `program` is `module`
// compiled for `target`.
std::string launchJson(const Module &module, const GpuCode &program, const TargetInfo &target, const SourceManager &sources);

} // namespace xt
