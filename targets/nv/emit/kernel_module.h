// Emits the kernels of a module as one LLVM module for NVIDIA's GPUs.
#pragma once
#include "targets/nv/emit/emit.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>

namespace xt {

struct NvModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<GpuKernel> kernels; // in the order of the module
};
Result<NvModule> emitNvModule(const Module &module, const TargetInfo &target, const NvEmitOptions &options,
                              llvm::LLVMContext &context, Diagnostics &diagnostics);

} // namespace xt
