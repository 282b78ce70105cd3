// A module's kernels as one LLVM module.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"
#include "targets/cpu/cpu_info.h"
#include "targets/cpu/kernel_emitter.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>

namespace xt {

// Memory that one worker may need for a kernel, and what of that may be shared local memory; more is a diagnostic.
inline constexpr int64_t kMaxScratchBytes = int64_t{1} << 30, kMaxSlmBytes = int64_t{1} << 26;

// What a launcher must know of a kernel (kernel_emitter.h has the ABI).
struct KernelCode {
  std::string name;   // of the kernel
  std::string symbol; // of its function
  size_t frameWords = 0;
  int64_t scratchBytes = 0; // per worker, or per fiber of one where there are fibers
  int64_t slmBytes = 0;
  int64_t fibers = 1; // where there are any: subgroups, or at lane scope lanes
  int64_t lanes = 0;  // at lane scope, of a subgroup
  KernelOutput output;
};
struct EmittedModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<KernelCode> kernels; // in the module's order
};

// Takes what the target's pipeline leaves: every type known. The result is deterministic and its size does not depend
// on the extents of tiles. Debug builds run LLVM's verifier.
Result<EmittedModule> emitKernels(const Module &module, const CpuInfo &cpu, llvm::LLVMContext &context,
                                  Diagnostics &diagnostics);

} // namespace xt
