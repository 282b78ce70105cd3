#include "targets/nv/emit/functions.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/llvm/double_functions.h"
#include "targets/llvm/float_arithmetic.h"
#include "targets/llvm/float_functions.h"

#include <algorithm>

namespace xt {
namespace {

// The functions that are computed in f32, and in which types there is a function: all others are computed in f64.
constexpr OpKind kSingle[] = {OpKind::Exp,  OpKind::Exp2,  OpKind::Expm1, OpKind::Log,
                              OpKind::Log2, OpKind::Log10, OpKind::Tanh,  OpKind::Erf};

bool isSingle(OpKind kind) { return std::ranges::find(kSingle, kind) != std::end(kSingle); }

bool hasFunction(OpKind kind, Elem elem) { return hasDoubleFunction(kind) || (elem != Elem::F64 && isSingle(kind)); }

constexpr OpKind kAll[] = {
#define XT_FUNCTION(kind, ...) OpKind::kind,
#define XT_FUNCTION2(kind, ...) OpKind::kind,
#include "ir/ops/functions.def"
#undef XT_FUNCTION
#undef XT_FUNCTION2
};

} // namespace

LlvmValue *nvFunction(llvm::IRBuilderBase &builder, OpKind kind, llvm::ArrayRef<LlvmValue *> args) {
  llvm::Type *type = args[0]->getType();
  bool single = type->getScalarType()->isFloatTy();
  if (single && isSingle(kind)) return floatFunction(builder, kind, args[0], {.fuses = true});
  if (!hasDoubleFunction(kind)) return nullptr;
  LlvmValue *wide = single ? builder.CreateFPExt(args[0], type->getWithNewType(builder.getDoubleTy())) : args[0];
  LlvmValue *result = doubleFunction(builder, kind, wide);
  return single ? builder.CreateFPTrunc(result, type) : result;
}

const Op *firstWithoutFunction(const Kernel &kernel) {
  const Op *found = nullptr;
  walk(kernel.body, [&](const Op &op) {
    if (found || op.resultCount() != 1 || mathFunctionName(op.kind()).empty()) return;
    if (!hasFunction(op.kind(), op.result()->type().elem())) found = &op;
  });
  return found;
}

std::string whyNoFunction(const Op &op) {
  Elem elem = op.result()->type().elem();
  std::vector<std::string_view> names;
  for (OpKind kind : kAll)
    if (hasFunction(kind, elem)) names.push_back(mathFunctionName(kind));
  return str("`", op.info().name, "` on ", elemName(elem), " has no code for NVIDIA GPUs; there is code for ",
             join(names, ", "));
}

} // namespace xt
