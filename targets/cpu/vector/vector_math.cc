#include "targets/cpu/vector/vector_math.h"

namespace xt {
namespace {

template <bool fuses, bool scales>
LlvmValue *vectorMath(llvm::IRBuilderBase &builder, OpKind kind, llvm::ArrayRef<LlvmValue *> args) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType());
  if (!type || !type->getElementType()->isFloatTy() || args.size() != 1) return nullptr;
  return floatFunction(builder, kind, args[0], {fuses, scales});
}

} // namespace

FunctionCall vectorMathOf(const CpuInfo &cpu) {
  if (!cpu.fma) return vectorMath<false, false>;
  return cpu.maskedAccess ? vectorMath<true, true> : vectorMath<true, false>; // AVX-512 has both
}

} // namespace xt
