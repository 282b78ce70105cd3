#include "targets/cpu/ahead/library_code.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "targets/cpu/ahead/header_kernel.h"
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/cpu/module/kernel_module.h"
#include "targets/cpu/runtime/launch_abi.h"
#include "targets/llvm/machine.h"

#include <llvm/IR/Constants.h>

namespace xt {
namespace {

// The names of functions and tables must differ between the levels, and between the libraries of one program.
std::string symbolName(const std::string &prefix, const std::string &kernel, int level) {
  std::string name = prefix;
  for (char c : kernel) name += std::isalnum(static_cast<unsigned char>(c)) ? std::string(1, c) : c == '$' ? "_with_" : "_";
  return str(name, "_l", level);
}

void addTable(llvm::Module &module, const KernelCode &code) {
  if (code.output.numbers.empty()) return;
  llvm::Constant *numbers = llvm::ConstantDataArray::get(module.getContext(), llvm::ArrayRef(code.output.numbers));
  auto *table = new llvm::GlobalVariable(module, numbers->getType(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                                         numbers, numbersName(code));
  table->setAlignment(llvm::Align(8));
  table->setVisibility(llvm::GlobalValue::HiddenVisibility);
}

void rename(llvm::Module &module, KernelCode &code, const std::string &name) {
  llvm::Function *function = module.getFunction(code.symbol);
  XT_CHECK(function, "every kernel has a function");
  function->setName(name);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  code.symbol = name;
  addTable(module, code);
}

Result<ObjectCode> objectCode(const Module &module, const std::string &prefix, int level, Diagnostics &diagnostics) {
  Result<CpuInfo> cpu = cpuInfo(kCodeLevels[level]);
  if (!cpu) return cpu.error();
  llvm::LLVMContext context;
  Result<EmittedModule> emitted = emitKernels(module, *cpu, context, diagnostics);
  if (!emitted) return emitted.error();
  for (KernelCode &code : emitted->kernels) rename(*emitted->module, code, symbolName(prefix, code.name, level));
  auto machine = makeTargetMachine(cpu->triple, cpu->name, cpu->features);
  if (!machine) return machine.error();
  Result<std::string> object = generateCode(*emitted->module, **machine, llvm::CodeGenFileType::ObjectFile);
  if (!object) return object.error();
  const size_t frameBytes = largestFrame(*object);
  return ObjectCode{std::move(*object), std::move(emitted->kernels), frameBytes};
}

void warnOfPrints(const Module &module, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) {
    bool prints = false;
    walk(kernel->body, [&](const Op &op) { prints |= op.kind() == OpKind::Print; });
    if (prints)
      diagnostics.report(DiagCode::NoPrint, kernel->nameRange, str("the prints of `@", kernel->name, "` are left out"))
          .note("a library that is compiled ahead of time prints nothing");
  }
}

} // namespace

std::string symbolPrefix(const std::string &library) { return str("xtrt_", library, "_"); }

Result<ObjectCode> headerCode(const Module &module, const std::string &prefix, Diagnostics &diagnostics) {
  Module headers(module.context());
  for (const auto &kernel : module.kernels)
    if (kernel->computesHeader()) headers.kernels.push_back(headerKernel(*kernel, module.context()));
  return objectCode(headers, prefix, 0, diagnostics);
}

Result<LibraryCode> libraryCode(const Module &module, const std::string &prefix, Diagnostics &diagnostics) {
  warnOfPrints(module, diagnostics);
  LibraryCode out;
  for (int level = 0; level < XTRT_LEVELS; ++level) {
    Diagnostics repeated; // each level reports the same
    repeated.wantRemarks(false);
    Result<ObjectCode> made = objectCode(module, prefix, level, level == 0 ? diagnostics : repeated);
    if (!made) return made.error();
    out.levels[static_cast<size_t>(level)] = std::move(*made);
  }
  Result<ObjectCode> made = headerCode(module, prefix, diagnostics);
  if (!made) return made.error();
  out.headers = std::move(*made);
  return out;
}

std::string numbersName(const KernelCode &code) { return code.symbol + "_numbers"; }

} // namespace xt
