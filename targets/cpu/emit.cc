#include "targets/cpu/emit.h"

#include "ir/base/check.h"
#include "targets/cpu/module/kernel_module.h"
#include "targets/cpu/runtime/launch_abi.h"
#include "targets/llvm/machine.h"

#include <llvm/IR/Constants.h>

namespace xt {
namespace {

void addNumbers(EmittedModule &emitted) {
  for (const KernelCode &kernel : emitted.kernels) {
    llvm::Module &module = *emitted.module;
    llvm::Constant *numbers = llvm::ConstantDataArray::get(module.getContext(), llvm::ArrayRef(kernel.output.numbers));
    auto *table = new llvm::GlobalVariable(module, numbers->getType(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                                           numbers, numbersSymbol(kernel.name));
    table->setAlignment(llvm::Align(8));
  }
}

} // namespace

Result<std::string> emit(const Module &module, EmitKind kind, const EmitOptions &options, Diagnostics &diagnostics) {
  Result<CpuInfo> cpu = cpuInfo(options.cpu);
  if (!cpu) return cpu.error();
  llvm::LLVMContext context;
  Result<EmittedModule> emitted = emitKernels(module, *cpu, context, diagnostics);
  if (!emitted) return emitted.error();
  addNumbers(*emitted);
  auto machine = makeTargetMachine(cpu->triple, cpu->name, cpu->features);
  if (!machine) return machine.error();
  switch (kind) {
  case EmitKind::Llvm: emitted->module->setDataLayout((*machine)->createDataLayout()); return moduleText(*emitted->module);
  case EmitKind::Asm: return generateCode(*emitted->module, **machine, llvm::CodeGenFileType::AssemblyFile);
  case EmitKind::Object: return generateCode(*emitted->module, **machine, llvm::CodeGenFileType::ObjectFile);
  }
  XT_UNREACHABLE("kind of output");
}

Result<size_t> instructionCount(const Module &module, const EmitOptions &options, Diagnostics &diagnostics) {
  Result<CpuInfo> cpu = cpuInfo(options.cpu);
  if (!cpu) return cpu.error();
  llvm::LLVMContext context;
  Result<EmittedModule> emitted = emitKernels(module, *cpu, context, diagnostics);
  if (!emitted) return emitted.error();
  return static_cast<size_t>(emitted->module->getInstructionCount());
}

} // namespace xt
