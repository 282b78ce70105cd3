// Emits the kernels of a module as one LLVM module.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"
#include "targets/cpu/cpu_info.h"
#include "targets/cpu/kernel_emitter.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>

namespace xt {

// The limits of the scratch memory per worker and of the shared local memory of a kernel; exceeding them is reported.
inline constexpr int64_t kMaxScratchBytes = int64_t{1} << 30, kMaxSlmBytes = int64_t{1} << 26;

// Facts about a kernel that a launcher needs (kernel_emitter.h has the ABI).
struct KernelCode {
  std::string name;   // the kernel's name
  std::string symbol; // the name of its function
  size_t frameWords = 0;
  int64_t scratchBytes = 0; // per worker, or per fiber if the kernel uses fibers
  int64_t slmBytes = 0;
  int64_t fibers = 1; // fibers per workgroup if the kernel uses them: subgroups, or lanes at lane scope
  int64_t lanes = 0;  // lanes per subgroup at lane scope
  KernelOutput output;
};
struct EmittedModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<KernelCode> kernels; // in the order of the module
};

// The module must have passed the target's pipeline, so that every type is known. The result is deterministic and its size does
// not depend on the extents of tiles. Debug builds run LLVM's verifier.
Result<EmittedModule> emitKernels(const Module &module, const CpuInfo &cpu, llvm::LLVMContext &context,
                                  Diagnostics &diagnostics);

} // namespace xt
