#include "targets/xe/emit/kernel_module.h"

#include "ir/base/text.h"
#include "ir/effects.h"
#include "targets/llvm/lane/kernel_emitter.h"
#include "targets/llvm/lane/lane_module.h"
#include "targets/llvm/lane/source_lines.h"
#include "targets/llvm/machine.h"
#include "targets/xe/emit/address_payloads.h"
#include "targets/xe/emit/device_functions.h"
#include "targets/xe/emit/matrix_exchange.h"
#include "targets/xe/emit/xe_lane_device.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>

namespace xt {
namespace {

void describe(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  auto number = [&](uint32_t value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
  };
  module.getOrInsertNamedMetadata("opencl.ocl.version")->addOperand(llvm::MDNode::get(context, {number(3), number(0)}));
  // Without this metadata, LLVM forbids contracting mul and add in every kernel.
  module.getOrInsertNamedMetadata("opencl.enable.FP_CONTRACT");
}

// Links the definitions of the functions that the module calls.
Result<void> linkDefinitions(llvm::Module &module, const std::string &definitions) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> others = llvm::parseAssemblyString(definitions, problem, module.getContext());
  if (!others)
    return Error::environment(str("the definitions of device functions are not valid LLVM IR, line ", problem.getLineNo(), ": ",
                                  problem.getMessage().str()));
  others->setTargetTriple(module.getTargetTriple());
  others->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(others), llvm::Linker::Flags::LinkOnlyNeeded))
    return Error::environment("the definitions of device functions cannot be linked");
  return {};
}

} // namespace

Result<XeModule> emitXeModule(const Module &module, const TargetInfo &target, const XeEmitOptions &options,
                              llvm::LLVMContext &context, Diagnostics &diagnostics) {
  XeModule result;
  llvm::Triple triple("spirv64-unknown-unknown");
  result.module = std::make_unique<llvm::Module>("xt", context);
  result.module->setTargetTriple(triple);
  result.module->setDataLayout(triple.computeDataLayout());
  describe(*result.module);
  SourceLines lines(*result.module, options.sources);
  for (const auto &kernel : module.kernels) {
    if (Result<void> ready = checkLaneForm(*kernel, target, diagnostics); !ready) return ready.error();
    if (options.stage) options.stage(str("code of @", kernel->name));
    XeLaneDevice device(*kernel, target, options, diagnostics);
    GpuKernel made;
    made.largeRegisterFile = device.wantsLargeRegisterFile();
    made.writes = kernelEffects(*kernel).writes;
    made.overlapRule = overlapRuleOf(*kernel);
    made.blockUses = device.blockUses();
    LaneKernelEmitter emitter(*result.module, module.context(), *kernel, target, device, lines, diagnostics);
    Result<LaneKernel> emitted = emitter.emit(entryName(*kernel, *result.module));
    if (!emitted) return emitted.error();
    static_cast<LaneKernel &>(made) = std::move(*emitted);
    if (target.cooperativeMatrices)
      made.slmBytes += lowerMatrixExchanges(*result.module->getFunction(made.entry), target, made);
    result.kernels.push_back(std::move(made));
  }
  lines.finish();
  if (Result<void> known = checkDeviceCalls(*result.module, target); !known) return known.error();
  if (options.extensions == SpirvExtensions::InlineAssembly)
    result.inlineAssembly = keepAddressPayloads(*result.module, target);
  if (!options.definitions.empty())
    if (Result<void> linked = linkDefinitions(*result.module, options.definitions); !linked) return linked.error();
  if (Result<void> valid = verifyLlvm(*result.module); !valid) return valid.error();
  return result;
}

} // namespace xt
