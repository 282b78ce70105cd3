// Compiles kernels at lane scope to PTX for NVIDIA's GPUs, and to the LLVM module that it is made from.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/gpu/kernel_abi.h"

#include <functional>
#include <string>

namespace xt {

class SourceManager;

struct NvEmitOptions {
  // The sources that the ranges of ops refer to; with them, the code contains source files and lines. Null: it does not.
  const SourceManager *sources = nullptr;
  // Receives the name of the next step if it may take long: "code of @gemm".
  std::function<void(std::string)> stage = {};
};

// All functions take a module whose kernels are at lane scope with 32 lanes (checkTargetLimits), and give the same output for the
// same input.

// The LLVM module of the kernels as bitcode, before code generation: what the software device runs.
Result<GpuCode> compileToNvvm(const Module &module, const TargetInfo &target, const NvEmitOptions &options,
                              Diagnostics &diagnostics);
// The same module as text.
Result<std::string> nvLlvmText(const Module &module, const TargetInfo &target, const NvEmitOptions &options,
                               Diagnostics &diagnostics);
// The PTX of the kernels, as the bytes of the binary. Shared local memory beyond what a kernel may declare (48 KiB) is the array
// `xt_slm`, whose size a launch gives (GpuKernel::givenSlmBytes).
Result<GpuCode> compileToPtx(const Module &module, const TargetInfo &target, const NvEmitOptions &options,
                             Diagnostics &diagnostics);
// That PTX as text.
std::string ptxText(const GpuCode &code);

} // namespace xt
