#include "targets/xe/emit/device_calls.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <vector>

namespace xt {
namespace {

std::string_view integerLetter(unsigned bits) {
  switch (bits) {
  case 8: return "c";
  case 16: return "s";
  case 32: return "i";
  case 64: return "l";
  }
  XT_UNREACHABLE("an integer type of OpenCL C");
}

// The n-th type that can be substituted: S_, S0_, S1_ …
std::string substitution(size_t n) { return n == 0 ? "S_" : str("S", n - 1, "_"); }

} // namespace

std::string mangledType(const llvm::Type *type) {
  if (const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    return str("Dv", vector->getNumElements(), "_", mangledType(vector->getElementType()));
  if (type->isFloatTy()) return "f";
  if (type->isDoubleTy()) return "d";
  if (type->isHalfTy()) return "Dh";
  return std::string(integerLetter(type->getIntegerBitWidth()));
}

std::string mangledName(std::string_view function, llvm::ArrayRef<std::string> parameters) {
  std::string name = str("_Z", function.size(), function);
  std::vector<std::string> seen;
  for (const std::string &parameter : parameters) {
    auto known = std::find(seen.begin(), seen.end(), parameter);
    if (known != seen.end()) {
      name += substitution(static_cast<size_t>(known - seen.begin()));
      continue;
    }
    name += parameter;
    if (parameter.starts_with("Dv")) seen.push_back(parameter);
  }
  return name;
}

std::string mangledName(std::string_view function, llvm::ArrayRef<LlvmValue *> args) {
  std::vector<std::string> parameters;
  for (const LlvmValue *arg : args) parameters.push_back(mangledType(arg->getType()));
  return mangledName(function, parameters);
}

llvm::CallInst *callDevice(llvm::IRBuilderBase &b, const std::string &mangled, llvm::Type *result,
                           llvm::ArrayRef<LlvmValue *> args, DeviceEffect effect) {
  llvm::SmallVector<llvm::Type *, 8> types;
  for (LlvmValue *arg : args) types.push_back(arg->getType());
  auto *type = llvm::FunctionType::get(result ? result : b.getVoidTy(), types, false);
  llvm::Module *module = b.GetInsertBlock()->getModule();
  auto *function = llvm::cast<llvm::Function>(module->getOrInsertFunction(mangled, type).getCallee());
  function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  function->setDoesNotThrow();
  if (effect != DeviceEffect::None) function->setConvergent();
  if (effect != DeviceEffect::Memory) {
    function->setDoesNotAccessMemory();
    function->setWillReturn();
  }
  llvm::CallInst *call = b.CreateCall(function, args);
  call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  if (effect != DeviceEffect::None) call->setConvergent();
  return call;
}

} // namespace xt
