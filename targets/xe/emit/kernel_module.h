// Emits the kernels of a module as one LLVM module for GPUs.
#pragma once
#include "targets/xe/emit/emit.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>

namespace xt {

struct XeModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<GpuKernel> kernels; // in the order of the module
  bool inlineAssembly = false; // some messages will be inline assembly
};
Result<XeModule> emitXeModule(const Module &module, const TargetInfo &target, const XeEmitOptions &options,
                              llvm::LLVMContext &context, Diagnostics &diagnostics);

} // namespace xt
