#include "targets/xe/emit/kernel_module.h"

#include "ir/base/depth.h"
#include "ir/base/text.h"
#include "targets/llvm/machine.h"
#include "targets/xe/emit/kernel_emitter.h"

#include <algorithm>
#include <cctype>

namespace xt {
namespace {

// Letters, digits and '_' of the kernel's name; one that is taken gets a number.
std::string entryName(const Kernel &kernel, const std::vector<XeKernel> &taken) {
  std::string name;
  for (char c : kernel.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (name.empty() || name[0] == '_' || std::isdigit(static_cast<unsigned char>(name[0]))) name = "k" + name;
  std::string unique = name;
  for (int n = 2; std::any_of(taken.begin(), taken.end(), [&](const XeKernel &k) { return k.entry == unique; }); ++n)
    unique = str(name, "_", n);
  return unique;
}

void describe(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  auto number = [&](uint32_t value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
  };
  module.getOrInsertNamedMetadata("opencl.ocl.version")->addOperand(llvm::MDNode::get(context, {number(3), number(0)}));
  // Without it LLVM forbids mul and add to contract, in every kernel.
  module.getOrInsertNamedMetadata("opencl.enable.FP_CONTRACT");
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
  for (const auto &kernel : module.kernels) {
    if (kernel->scope != Scope::Lane)
      return Error::environment(str("kernel `@", kernel->name, "` is not at lane scope: run the passes of ", target.name,
                                    " before code is made for it"));
    XeKernelEmitter emitter(*result.module, module.context(), *kernel, target, options, diagnostics);
    Result<XeKernel> made = emitter.emit(entryName(*kernel, result.kernels));
    if (!made) return made.error();
    result.kernels.push_back(std::move(*made));
  }
  if (Result<void> valid = verifyLlvm(*result.module); !valid) return valid.error();
  return result;
}

} // namespace xt
