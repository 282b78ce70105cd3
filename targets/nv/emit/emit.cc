#include "targets/nv/emit/emit.h"

#include "targets/llvm/machine.h"
#include "targets/nv/emit/kernel_module.h"
#include "targets/nv/emit/ptx.h"

namespace xt {

Result<GpuCode> compileToNvvm(const Module &module, const TargetInfo &target, const NvEmitOptions &options,
                              Diagnostics &diagnostics) {
  llvm::LLVMContext context;
  Result<NvModule> emitted = emitNvModule(module, target, options, context, diagnostics);
  if (!emitted) return emitted.error();
  std::string bitcode = moduleBitcode(*emitted->module);
  return GpuCode{{bitcode.begin(), bitcode.end()}, std::move(emitted->kernels)};
}

Result<std::string> nvLlvmText(const Module &module, const TargetInfo &target, const NvEmitOptions &options,
                               Diagnostics &diagnostics) {
  llvm::LLVMContext context;
  Result<NvModule> emitted = emitNvModule(module, target, options, context, diagnostics);
  if (!emitted) return emitted.error();
  return moduleText(*emitted->module);
}

Result<GpuCode> compileToPtx(const Module &module, const TargetInfo &target, const NvEmitOptions &options,
                             Diagnostics &diagnostics) {
  llvm::LLVMContext context;
  Result<NvModule> emitted = emitNvModule(module, target, options, context, diagnostics);
  if (!emitted) return emitted.error();
  if (options.stage) options.stage("PTX of all kernels");
  Result<std::string> ptx = generatePtx(*emitted->module, emitted->kernels, target);
  if (!ptx) return ptx.error();
  return GpuCode{{ptx->begin(), ptx->end()}, std::move(emitted->kernels)};
}

std::string ptxText(const GpuCode &code) { return {code.binary.begin(), code.binary.end()}; }

} // namespace xt
