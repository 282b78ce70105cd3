#include "targets/cpu/vector/wide_bytes.h"

#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

namespace xt {
namespace {

bool isByte(Type type) { return type.elem() == Elem::I8 || type.elem() == Elem::U8; }

} // namespace

LlvmValue *computeInWideLanes(llvm::IRBuilderBase &b, const Op &op, llvm::ArrayRef<LlvmValue *> args, int vectorBytes) {
  constexpr unsigned kBits = 32, kNibble = 4;
  const bool shifts = op.kind() == OpKind::ShLI || op.kind() == OpKind::ShRUI;
  const bool cuts = op.kind() == OpKind::TruncI && op.result()->type().elem() == Elem::I4;
  if ((!shifts && !cuts) || !isByte(op.operand(0)->type())) return nullptr;
  auto *bytes = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType());
  if (!bytes || bytes->getNumElements() * kBits / 8 > static_cast<unsigned>(vectorBytes)) return nullptr;
  auto *words = llvm::FixedVectorType::get(b.getInt32Ty(), bytes->getNumElements());
  LlvmValue *wide = b.CreateZExt(args[0], words);
  if (cuts) {
    wide = b.CreateAShr(b.CreateShl(wide, kBits - kNibble), kBits - kNibble);
  } else { // a shift by 8 or more leaves no bit of the byte, as one by 31 does
    LlvmValue *amount =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b.CreateZExt(args[1], words), llvm::ConstantInt::get(words, kBits - 1));
    wide = op.kind() == OpKind::ShLI ? b.CreateShl(wide, amount) : b.CreateLShr(wide, amount);
  }
  return b.CreateTrunc(wide, bytes);
}

} // namespace xt
