// Compiles kernels at lane scope to SPIR-V for Intel GPUs, and to the LLVM IR that it is made from.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/base/source.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/gpu/kernel_abi.h"
#include "targets/output.h"

#include <functional>
#include <string>

namespace xt {

struct XeEmitOptions {
  // Whether 2D block messages may be used. A launch with a matrix that breaks their rules needs a program without them.
  bool blockMessages = true;
  // Intel: emits block messages and products as instructions of SPV_INTEL_2d_block_io and
  // SPV_INTEL_subgroup_matrix_multiply_accumulate, and cache hints as decorations of SPV_INTEL_cache_controls. Otherwise
  // messages and products are function calls, and cache hints are left out. InlineAssembly: address_payloads.h. Auto: as None, because
  // what a driver takes is not known here.
  SpirvExtensions extensions = SpirvExtensions::None;
  bool intelExtensions() const { return extensions == SpirvExtensions::Intel; }
  // LLVM IR that defines device functions which an older version of Intel's compiler lacks, to inspect how it compiles a
  // kernel. Not for programs that run.
  std::string definitions = {};
  // The sources that the ranges of ops refer to; with them, the code contains source files and lines. Null: it does not.
  const SourceManager *sources = nullptr;
  // Receives the name of the next step if it may take long: "code of @gemm".
  std::function<void(std::string)> stage = {};
};

// Returns the SPIR-V of all kernels of the module, which must be at lane scope with subgroup sizes that the target has
// (checkTargetLimits). Deterministic. The SPIR-V calls device functions by the names of OpenCL C and, without the extensions of Intel,
// of Intel's extensions cl_intel_subgroup_2d_block_io and cl_intel_subgroup_matrix_multiply_accumulate.
Result<GpuCode> compileToSpirv(const Module &module, const TargetInfo &target, const XeEmitOptions &options,
                               Diagnostics &diagnostics);
// Returns the LLVM IR that the SPIR-V is made from.
Result<std::string> xeLlvmText(const Module &module, const TargetInfo &target, const XeEmitOptions &options,
                               Diagnostics &diagnostics);

} // namespace xt
