#include "targets/cpu/microkernel.h"

#include <llvm/IR/IntrinsicsX86.h>

namespace xt {

LlvmValues Microkernel::multiply(const Operands &operands, LlvmValues sums, Step how) {
  int64_t bytes = elemInfo(elem_).storageBytes;
  llvm::Align align(1), vectorAlign = operands.packed ? llvm::Align(static_cast<uint64_t>(lanes_ * bytes)) : align;
  auto step = [&](llvm::ArrayRef<LlvmValue *> carried) {
    LlvmValue *leftOffset = carried[carried.size() - 2], *right = carried.back();
    LlvmValues row, next;
    for (LlvmValue *column : operands.columns) row.push_back(b.CreateAlignedLoad(ops_.type(elem_, lanes_), byteOffset(b, right, column), vectorAlign));
    if (operands.ahead)
      for (LlvmValue *column : operands.columns) prefetch(b, byteOffset(b, byteOffset(b, right, operands.ahead), column), Prefetch::ToFirstCache);
    for (size_t r = 0; r < operands.leftRows.size(); ++r) {
      LlvmValue *element = b.CreateAlignedLoad(ops_.type(elem_, 0), byteOffset(b, operands.leftRows[r], leftOffset), align);
      LlvmValue *broadcast = ops_.splat(element, lanes_);
      for (size_t v = 0; v < row.size(); ++v) next.push_back(add(how, broadcast, row[v], carried[r * row.size() + v]));
    }
    next.push_back(b.CreateAdd(leftOffset, operands.leftStep));
    next.push_back(byteOffset(b, right, operands.rightStep));
    return next;
  };
  sums.push_back(b.getInt64(0));
  sums.push_back(operands.right);
  sums = repeat(b, operands.depth, sums, step);
  sums.resize(sums.size() - 2);
  return sums;
}

LlvmValue *Microkernel::add(Step step, LlvmValue *x, LlvmValue *y, LlvmValue *sum) {
  switch (step) {
  case Step::Elements: return multiplyAdd(x, y, sum);
  case Step::PairsBf16: return multiplyAdd(half(x, true), half(y, true), multiplyAdd(half(x, false), half(y, false), sum));
  case Step::DotBytes: return leftUnsigned_ ? dotBytes(sum, x, y) : dotBytes(sum, y, x);
  case Step::DotBf16: break;
  }
  auto *pairs = llvm::FixedVectorType::get(b.getBFloatTy(), static_cast<unsigned>(2 * lanes_));
  llvm::Intrinsic::ID id = lanes_ == 16 ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512 : llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256;
  return b.CreateIntrinsic(id, {}, {sum, b.CreateBitCast(x, pairs), b.CreateBitCast(y, pairs)});
}

LlvmValue *Microkernel::dotBytes(LlvmValue *sum, LlvmValue *x, LlvmValue *y) {
  auto *bytes = llvm::FixedVectorType::get(b.getInt8Ty(), static_cast<unsigned>(4 * lanes_));
  llvm::Intrinsic::ID id = lanes_ == 16  ? llvm::Intrinsic::x86_avx512_vpdpbusd_512
                           : lanes_ == 8 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256
                                         : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
  return b.CreateIntrinsic(id, {}, {sum, b.CreateBitCast(x, bytes), b.CreateBitCast(y, bytes)});
}

// One bf16 of each word, as f32: its bits are the upper ones.
LlvmValue *Microkernel::half(LlvmValue *words, bool upper) {
  LlvmValue *bits = b.CreateBitCast(words, ops_.type(Elem::I32, lanes_));
  bits = upper ? b.CreateAnd(bits, uint64_t{0xFFFF0000}) : b.CreateShl(bits, 16);
  return b.CreateBitCast(bits, words->getType());
}

LlvmValue *Microkernel::multiplyAdd(LlvmValue *x, LlvmValue *y, LlvmValue *sum) {
  if (!isFloat(elem_)) return b.CreateAdd(sum, b.CreateMul(x, y));
  // Without the instruction an fma would be a library call.
  return fma_ ? b.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {x, y, sum}) : b.CreateFAdd(sum, b.CreateFMul(x, y));
}

} // namespace xt
