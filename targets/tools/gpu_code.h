// What `xtc --emit` prints for GPUs.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"
#include "ir/target_info.h"
#include "targets/tools/options.h"

namespace xt {

// Whether `--emit=KIND` is code of GPUs: llvm, spirv, spvasm, isa.
bool isGpuCode(std::string_view kind);
// All the kinds of code that are asked for, one after the other, for a module that the passes of the target have left.
Result<std::string> gpuCode(const XtcOptions &options, const Module &module, const TargetInfo &target,
                            const SourceManager &sources, Diagnostics &diagnostics);

} // namespace xt
