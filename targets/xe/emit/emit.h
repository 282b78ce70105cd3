// Kernels at lane scope as SPIR-V for Intel GPUs, and as the LLVM IR that it is made from.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/base/source.h"
#include "ir/module.h"
#include "ir/target_info.h"
#include "targets/xe/kernel_abi.h"

#include <functional>
#include <string>

namespace xt {

struct XeEmitOptions {
  // Whether 2D block messages may be used. A launch with a matrix that breaks their rules needs a program without.
  bool blockMessages = true;
  // LLVM IR that defines device functions which an older compiler of Intel's lacks, to see what it makes of a kernel. Not
  // for programs that run.
  std::string definitions = {};
  // Where the ranges of ops lie: the code then says which lines of which files it comes from. Null: it does not.
  const SourceManager *sources = nullptr;
  // Takes what is done next, where it may take long: "code of @gemm".
  std::function<void(std::string)> stage = {};
};

// SPIR-V of all kernels of the module, which are at lane scope with subgroups that the target has (checkTargetLimits).
// The same bytes for the same module. It calls device functions by the names of OpenCL C and of Intel's extensions
// cl_intel_subgroup_2d_block_io and cl_intel_subgroup_matrix_multiply_accumulate.
Result<XeProgram> compileToSpirv(const Module &module, const TargetInfo &target, const XeEmitOptions &options,
                                 Diagnostics &diagnostics);
// The LLVM IR that the SPIR-V is made from.
Result<std::string> xeLlvmText(const Module &module, const TargetInfo &target, const XeEmitOptions &options,
                               Diagnostics &diagnostics);

} // namespace xt
