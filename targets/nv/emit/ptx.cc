#include "targets/nv/emit/ptx.h"

#include "targets/llvm/machine.h"
#include "targets/nv/library/architecture.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Pass.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/Scalar.h>

#include <mutex>

namespace xt {
namespace {

constexpr unsigned kSharedSpace = 3;
constexpr uint64_t kSlmArrayAlignment = 128;

// The version of PTX: that of CUDA 12.4, whose drivers (550) know all instructions that are emitted.
constexpr const char *kPtxFeatures = "+ptx84";

// Merges equal computations. LLVM's back end does so only after its strength reduction, which compares each address with those
// before it and takes half of the time of all passes where many of them are equal.
void mergeEqualComputations(llvm::Module &module) {
  llvm::legacy::PassManager passes;
  passes.add(llvm::createEarlyCSEPass());
  passes.run(module);
}

void initialisePtx() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

// The variables in shared memory that a kernel uses, in the order of the module.
std::vector<llvm::GlobalVariable *> slmOf(llvm::Function &kernel) {
  std::vector<llvm::GlobalVariable *> variables;
  for (llvm::GlobalVariable &variable : kernel.getParent()->globals()) {
    if (variable.getAddressSpace() != kSharedSpace) continue;
    bool used = std::ranges::any_of(variable.users(), [&](llvm::User *user) {
      auto *at = llvm::dyn_cast<llvm::Instruction>(user);
      return at && at->getFunction() == &kernel;
    });
    if (used) variables.push_back(&variable);
  }
  return variables;
}

// Puts the variables of a kernel one after the other into the array that a launch sizes; returns the bytes of all.
int64_t placeInArray(llvm::Function &kernel) {
  llvm::Module &module = *kernel.getParent();
  std::vector<llvm::GlobalVariable *> variables = slmOf(kernel);
  llvm::Type *byte = llvm::Type::getInt8Ty(module.getContext());
  auto *array = llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal("xt_slm", llvm::ArrayType::get(byte, 0), [&] {
    auto *made = new llvm::GlobalVariable(module, llvm::ArrayType::get(byte, 0), false, llvm::GlobalValue::ExternalLinkage,
                                          nullptr, "xt_slm", nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
    made->setAlignment(llvm::Align(kSlmArrayAlignment));
    return made;
  }));
  uint64_t offset = 0;
  for (llvm::GlobalVariable *variable : variables) {
    offset = llvm::alignTo(offset, variable->getAlign().valueOrOne());
    llvm::Constant *index = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), offset);
    variable->replaceAllUsesWith(llvm::ConstantExpr::getGetElementPtr(byte, array, index));
    offset += module.getDataLayout().getTypeAllocSize(variable->getValueType()).getFixedValue();
    variable->eraseFromParent();
  }
  return static_cast<int64_t>(offset);
}

} // namespace

Result<std::string> generatePtx(llvm::Module &module, std::span<GpuKernel> kernels, const TargetInfo &target) {
  initialisePtx();
  auto machine = makeTargetMachine(kPtxTriple, architectureOf(target), kPtxFeatures, llvm::CodeGenOptLevel::Default);
  if (!machine) return machine.error();
  for (llvm::GlobalVariable &variable : module.globals()) { // constant expressions would hide which kernel uses a variable
    llvm::Constant *constant = &variable;
    llvm::convertUsersOfConstantsToInstructions(constant);
  }
  for (GpuKernel &kernel : kernels)
    if (kernel.slmBytes > kMostDeclaredSlm) kernel.givenSlmBytes = placeInArray(*module.getFunction(kernel.entry));
  mergeEqualComputations(module);
  return generateCode(module, **machine, llvm::CodeGenFileType::AssemblyFile);
}

} // namespace xt
