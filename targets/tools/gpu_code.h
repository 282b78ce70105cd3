// The output of `xtc --emit` for GPUs.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/tools/options.h"

#include <functional>
#include <optional>
#include <string>

namespace xt {

// Whether `--emit=KIND` is GPU code: llvm, spirv, spvasm, meta, isa.
bool isGpuCode(std::string_view kind);
// The error in a command line that requests GPU code or uses options for it; nullopt if it is valid. `gpu`: the
// target is a GPU.
std::optional<std::string> gpuCodeProblem(const XtcOptions &options, bool gpu);
// The options of a command line that change GPU code, with a blank before each: " --no-block-messages".
std::string gpuOptionsText(const XtcOptions &options);
// All requested kinds of code, for a module after the target's passes: text, one kind after the other, and SPIR-V.
// `stage` is called with the name of each step that may take long.
struct GpuCode {
  std::string text, spirv;
};
Result<GpuCode> gpuCode(const XtcOptions &options, const Module &module, const TargetInfo &target, const SourceManager &sources,
                        Diagnostics &diagnostics, const std::function<void(std::string)> &stage);

} // namespace xt
