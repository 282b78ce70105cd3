// What `xtc --emit` prints for GPUs.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"
#include "ir/target_info.h"
#include "targets/tools/options.h"

#include <functional>
#include <optional>
#include <string>

namespace xt {

// Whether `--emit=KIND` is code of GPUs: llvm, spirv, spvasm, isa.
bool isGpuCode(std::string_view kind);
// What is wrong with a command line that asks for such code, or for what belongs to it; `gpu`: its target is one.
std::optional<std::string> gpuCodeProblem(const XtcOptions &options, bool gpu);
// All the kinds of code that are asked for, for a module that the passes of the target have left: text, one kind after the
// other, and SPIR-V. `stage` takes what is done next, where it may take long.
struct GpuCode {
  std::string text, spirv;
};
Result<GpuCode> gpuCode(const XtcOptions &options, const Module &module, const TargetInfo &target, const SourceManager &sources,
                        Diagnostics &diagnostics, const std::function<void(std::string)> &stage);

} // namespace xt
