// `xtc --emit=sass-stats`: the code that NVIDIA's assembler makes of kernels, related to source lines.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/gpu/kernel_abi.h"

#include <string>

namespace xt {

// Assembles the PTX `program` of `module` and lists registers, spills, occupancy, shared memory by line, and the instructions of each
// loop. Reports warnings for what ptxas warns of, for spilled registers, and for a kernel with products whose code has none. The Error
// says that there is no ptxas, or what it does not take.
Result<std::string> sassText(const Module &module, const GpuCode &program, const TargetInfo &target,
                             const SourceManager &sources, Diagnostics &diagnostics);

} // namespace xt
