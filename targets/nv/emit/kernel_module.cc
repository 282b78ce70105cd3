#include "targets/nv/emit/kernel_module.h"

#include "ir/base/text.h"
#include "ir/effects.h"
#include "targets/llvm/lane/kernel_emitter.h"
#include "targets/llvm/lane/lane_module.h"
#include "targets/llvm/lane/source_lines.h"
#include "targets/llvm/machine.h"
#include "targets/nv/emit/nv_lane_device.h"
#include "targets/nv/emit/ptx.h"

namespace xt {

Result<NvModule> emitNvModule(const Module &module, const TargetInfo &target, const NvEmitOptions &options,
                              llvm::LLVMContext &context, Diagnostics &diagnostics) {
  NvModule result;
  llvm::Triple triple(kPtxTriple);
  result.module = std::make_unique<llvm::Module>("xt", context);
  result.module->setTargetTriple(triple);
  result.module->setDataLayout(triple.computeDataLayout());
  SourceLines lines(*result.module, options.sources, true); // ptxas does not optimise code with other debug information
  for (const auto &kernel : module.kernels) {
    if (Result<void> ready = checkLaneForm(*kernel, target, diagnostics); !ready) return ready.error();
    if (options.stage) options.stage(str("code of @", kernel->name));
    NvLaneDevice device;
    GpuKernel made;
    made.writes = kernelEffects(*kernel).writes;
    made.overlapRule = overlapRuleOf(*kernel);
    LaneKernelEmitter emitter(*result.module, module.context(), *kernel, target, device, lines, diagnostics);
    Result<LaneKernel> emitted = emitter.emit(entryName(*kernel, *result.module));
    if (!emitted) return emitted.error();
    static_cast<LaneKernel &>(made) = std::move(*emitted);
    result.kernels.push_back(std::move(made));
  }
  lines.finish();
  if (Result<void> valid = verifyLlvm(*result.module); !valid) return valid.error();
  return result;
}

} // namespace xt
