#include "targets/xe/emit/device_calls.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/xe/emit/matrix_form.h"

#include <llvm/IR/Module.h>

#include <charconv>

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

llvm::Type *typeOf(llvm::LLVMContext &context, std::string_view mangled) {
  if (std::optional<MatrixForm> matrix = matrixOfTypeName(mangled)) return matrixType(context, *matrix);
  if (mangled.starts_with("PU3AS1")) return llvm::PointerType::get(context, 1);
  if (mangled.starts_with("PU3AS3")) return llvm::PointerType::get(context, 3);
  if (mangled.starts_with("P")) return llvm::PointerType::get(context, 0);
  if (mangled.starts_with("Dv")) {
    unsigned count = 0;
    const char *end = std::from_chars(mangled.data() + 2, mangled.data() + mangled.size(), count).ptr;
    mangled.remove_prefix(static_cast<size_t>(end - mangled.data()) + 1);
    return llvm::FixedVectorType::get(typeOf(context, mangled), count);
  }
  if (mangled == "Dh") return llvm::Type::getHalfTy(context);
  if (mangled == "DF16b") return llvm::Type::getBFloatTy(context);
  switch (mangled[0]) {
  case 'v': return llvm::Type::getVoidTy(context);
  case 'c':
  case 'h': return llvm::Type::getInt8Ty(context);
  case 's':
  case 't': return llvm::Type::getInt16Ty(context);
  case 'i':
  case 'j': return llvm::Type::getInt32Ty(context);
  case 'l':
  case 'm': return llvm::Type::getInt64Ty(context);
  case 'f': return llvm::Type::getFloatTy(context);
  case 'd': return llvm::Type::getDoubleTy(context);
  }
  XT_UNREACHABLE("a type of a device function");
}

} // namespace

std::string mangledType(const llvm::Type *type) {
  if (const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    return str("Dv", vector->getNumElements(), "_", mangledType(vector->getElementType()));
  if (type->isFloatTy()) return "f";
  if (type->isDoubleTy()) return "d";
  if (type->isHalfTy()) return "Dh";
  return std::string(integerLetter(type->getIntegerBitWidth()));
}

llvm::FunctionType *functionType(llvm::LLVMContext &context, const DeviceFunction &function) {
  llvm::SmallVector<llvm::Type *, 8> types;
  for (const std::string &parameter : function.parameters) types.push_back(typeOf(context, parameter));
  return llvm::FunctionType::get(typeOf(context, function.result), types, false);
}

llvm::CallInst *callDevice(llvm::IRBuilderBase &b, const DeviceFunction &called, llvm::ArrayRef<LlvmValue *> args,
                           DeviceEffect effect) {
  llvm::Module *module = b.GetInsertBlock()->getModule();
  auto *function =
      llvm::cast<llvm::Function>(module->getOrInsertFunction(called.symbol, functionType(b.getContext(), called)).getCallee());
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
