#include "targets/nv/emit/functions.h"

#include "ir/op_kinds.h"
#include "targets/llvm/double_functions.h"
#include "targets/llvm/float_functions.h"
#include "targets/llvm/power.h"
#include "targets/llvm/remainder.h"
#include "targets/llvm/trigonometric.h"

#include <algorithm>

namespace xt {
namespace {

// The functions that are computed in f32, and of which types there is a function: all others but the remainder are computed in f64.
constexpr OpKind kSingle[] = {OpKind::Exp,  OpKind::Exp2,  OpKind::Expm1, OpKind::Log,
                              OpKind::Log2, OpKind::Log10, OpKind::Tanh,  OpKind::Erf};

bool isSingle(OpKind kind) { return std::ranges::find(kSingle, kind) != std::end(kSingle); }

LlvmValue *inDouble(llvm::IRBuilderBase &builder, OpKind kind, llvm::ArrayRef<LlvmValue *> args, bool single) {
  if (kind == OpKind::PowF) return powerFunction(builder, args[0], args[1], single);
  if (isTrigonometric(kind)) return trigonometricFunction(builder, kind, args[0], single);
  return doubleFunction(builder, kind, args[0]);
}

} // namespace

LlvmValue *nvFunction(llvm::IRBuilderBase &builder, OpKind kind, llvm::ArrayRef<LlvmValue *> args) {
  llvm::Type *type = args[0]->getType();
  bool single = type->getScalarType()->isFloatTy();
  if (kind == OpKind::RemF) return remainderFunction(builder, args[0], args[1]);
  if (single && isSingle(kind)) return floatFunction(builder, kind, args[0], {.fuses = true});
  if (!single) return inDouble(builder, kind, args, false);
  LlvmValues wide;
  for (LlvmValue *arg : args) wide.push_back(builder.CreateFPExt(arg, type->getWithNewType(builder.getDoubleTy())));
  return builder.CreateFPTrunc(inDouble(builder, kind, wide, true), type);
}

} // namespace xt
