#include "targets/xe/emit/spirv.h"

#include "ir/base/text.h"
#include "targets/llvm/guard.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/TargetParser/Triple.h>

#include <mutex>

// LLVM exports this function without a header that declares it (lib/Target/SPIRV/SPIRVAPI.cpp): a module as SPIR-V that
// may use the extensions of the list. False: it failed, with a message.
extern "C" bool SPIRVTranslate(llvm::Module *module, std::string &spirv, std::string &message,
                               const std::vector<std::string> &extensions, llvm::CodeGenOptLevel level,
                               llvm::Triple triple);

namespace xt {
namespace {

// The names of functions say most of what Intel's extensions have; these are of instructions that LLVM makes.
const std::vector<std::string> &allowedExtensions() {
  static const std::vector<std::string> kNames = {"SPV_EXT_shader_atomic_float_add"};
  return kNames;
}

// LLVM 22 makes one `and` of a zext of a trunc and forgets the trunc where the width in between is the least and that of
// the source the most: i32 to i8 to i16. The same as a trunc to the result's width, and an `and` of our own.
void spellShortRoundTrips(llvm::Module &module) {
  std::vector<llvm::ZExtInst *> found;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *widened = llvm::dyn_cast<llvm::ZExtInst>(&instruction);
      auto *narrowed = widened ? llvm::dyn_cast<llvm::TruncInst>(widened->getOperand(0)) : nullptr;
      if (narrowed && narrowed->getSrcTy()->getScalarSizeInBits() > widened->getType()->getScalarSizeInBits()) found.push_back(widened);
    }
  for (llvm::ZExtInst *widened : found) {
    auto *narrowed = llvm::cast<llvm::TruncInst>(widened->getOperand(0));
    llvm::IRBuilder<> builder(widened);
    auto low = llvm::APInt::getLowBitsSet(widened->getType()->getScalarSizeInBits(), narrowed->getType()->getScalarSizeInBits());
    llvm::Value *wide = builder.CreateTrunc(narrowed->getOperand(0), widened->getType());
    widened->replaceAllUsesWith(builder.CreateAnd(wide, llvm::ConstantInt::get(widened->getType(), low)));
    widened->eraseFromParent();
  }
}

} // namespace

Result<std::vector<uint8_t>> translateToSpirv(llvm::Module &module) {
  spellShortRoundTrips(module);
  static std::mutex oneAtATime; // LLVM keeps the extensions in a global variable
  std::lock_guard lock(oneAtATime);
  auto spirv = std::make_unique<std::string>(), message = std::make_unique<std::string>();
  bool made = false;
  // Level None leaves out LoopStrengthReduce, which in LLVM 22 makes invalid SPIR-V: it narrows a counter of 64 bits and
  // forgets the trunc. Nothing else that Intel's compiler would miss happens at higher levels.
  Result<void> done = guardLlvm([&]() -> Result<void> {
    made = SPIRVTranslate(&module, *spirv, *message, allowedExtensions(), llvm::CodeGenOptLevel::None, module.getTargetTriple());
    return {};
  });
  if (!done) return done.error();
  if (!made) return Error::environment(str("LLVM failed: ", *message));
  return std::vector<uint8_t>(spirv->begin(), spirv->end());
}

} // namespace xt
