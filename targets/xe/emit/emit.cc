#include "targets/xe/emit/emit.h"

#include "targets/llvm/machine.h"
#include "targets/xe/emit/kernel_module.h"
#include "targets/xe/emit/spirv.h"
#include "targets/xe/emit/spirv_table.h"

namespace xt {

Result<GpuCode> compileToSpirv(const Module &module, const TargetInfo &target, const XeEmitOptions &options,
                               Diagnostics &diagnostics) {
  llvm::LLVMContext context;
  Result<XeModule> emitted = emitXeModule(module, target, options, context, diagnostics);
  if (!emitted) return emitted.error();
  if (options.stage) options.stage("SPIR-V of all kernels");
  Result<std::vector<uint8_t>> spirv = translateToSpirv(*emitted->module, options.intelExtensions());
  if (!spirv) return spirv.error();
  // A program with definitions of device functions is only inspected, so these may use any instructions.
  if (options.definitions.empty())
    if (Result<void> known = checkSpirv(*spirv, options.extensions); !known) return known.error();
  return GpuCode{std::move(*spirv), std::move(emitted->kernels), emitted->inlineAssembly};
}

Result<std::string> xeLlvmText(const Module &module, const TargetInfo &target, const XeEmitOptions &options,
                               Diagnostics &diagnostics) {
  llvm::LLVMContext context;
  Result<XeModule> emitted = emitXeModule(module, target, options, context, diagnostics);
  if (!emitted) return emitted.error();
  return moduleText(*emitted->module);
}

} // namespace xt
