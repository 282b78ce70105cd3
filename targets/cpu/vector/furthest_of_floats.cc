#include "targets/cpu/vector/furthest_of_floats.h"

#include "ir/elem_kinds.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

namespace xt {

namespace {

constexpr uint32_t kMagnitude = 0x7FFFFFFF; // all bits of an f32 except its sign

} // namespace

LlvmValue *FurthestOfFloats::sortableBits(LlvmValue *bits) {
  return b.CreateXor(bits, b.CreateAnd(b.CreateAShr(bits, 31), kMagnitude));
}

LlvmValue *FurthestOfFloats::orderedBits(LlvmValue *chunk) {
  llvm::Type *bits = c_.ops.type(Elem::I32, lanes_);
  LlvmValue *nan = llvm::ConstantInt::get(bits, isMaximum_ != prefersNumbers_ ? kMagnitude : ~kMagnitude);
  return b.CreateSelect(b.CreateFCmpUNO(chunk, chunk), nan, sortableBits(b.CreateBitCast(chunk, bits)));
}

LlvmValue *FurthestOfFloats::ofLanes(LlvmValue *ordered) {
  if (lanes_ > 1) ordered = isMaximum_ ? b.CreateIntMaxReduce(ordered, true) : b.CreateIntMinReduce(ordered, true);
  return b.CreateBitCast(sortableBits(ordered), b.getFloatTy());
}

LlvmValue *FurthestOfFloats::further(LlvmValue *x, LlvmValue *y) {
  return b.CreateBinaryIntrinsic(isMaximum_ ? llvm::Intrinsic::smax : llvm::Intrinsic::smin, x, y);
}

LlvmValue *FurthestOfFloats::byRange(LlvmValue *x, LlvmValue *y) {
  // vrangeps: minimum or maximum, with the sign of the selected operand; the current rounding mode.
  constexpr uint32_t kLeast = 4, kMost = 5, kRounding = 4;
  llvm::SmallVector<LlvmValue *, 6> args{x, y, b.getInt32(isMaximum_ ? kMost : kLeast), llvm::PoisonValue::get(x->getType()),
                                         lanes_ == 16 ? b.getInt16(0xffff) : b.getInt8(0xff)};
  if (lanes_ == 16) args.push_back(b.getInt32(kRounding));
  return b.CreateIntrinsic(
      lanes_ == 16 ? llvm::Intrinsic::x86_avx512_mask_range_ps_512 : llvm::Intrinsic::x86_avx512_mask_range_ps_256, args);
}

// One comparison checks two registers.
LlvmValue *FurthestOfFloats::areNumbers(llvm::ArrayRef<LlvmValue *> chunks) {
  LlvmValue *all = nullptr;
  for (size_t i = 0; i < chunks.size(); i += 2) {
    LlvmValue *both = b.CreateFCmpORD(chunks[i], chunks[std::min(i + 1, chunks.size() - 1)]);
    all = all ? b.CreateAnd(all, both) : both;
  }
  return all;
}

} // namespace xt
