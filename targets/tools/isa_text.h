// `xtc --emit=isa --report`: what Intel's offline compiler made of kernels, beside the lines that it was made of.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"
#include "ir/target_info.h"
#include "targets/xe/isa/isa_report.h"
#include "targets/xe/kernel_abi.h"

#include <span>
#include <string>

namespace xt {

// Registers, spills, occupancy, shared local memory by line, and the instructions and block messages of each loop.
// `reports`, in the order of the module's kernels, which are at lane scope. Spilled registers, and products that the
// code lacks, are warnings.
std::string isaText(const Module &module, const XeProgram &program, std::span<const IsaReport> reports, const TargetInfo &target,
                    const SourceManager &sources, Diagnostics &diagnostics);

} // namespace xt
