// `xtc --emit=isa --report`: the code that Intel's offline compiler generated for kernels, related to source lines.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/gpu/kernel_abi.h"
#include "targets/xe/isa/isa_report.h"

#include <span>
#include <string>

namespace xt {

// Lists registers, spills, occupancy, shared local memory by line, and the instructions and block messages of each loop.
// `reports` are in the order of the module's kernels, which are at lane scope. Reports warnings if registers are spilled, and
// if a kernel has products but its code has no dpas.
std::string isaText(const Module &module, const GpuCode &program, std::span<const IsaReport> reports, const TargetInfo &target,
                    const SourceManager &sources, Diagnostics &diagnostics);

} // namespace xt
