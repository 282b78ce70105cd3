#include "targets/cpu/products/float_slices.h"

namespace xt {

namespace {

constexpr uint32_t kUpperHalf = 0xFFFF0000;
// A key is twice the bits of a float, which drops the sign, plus 2^24: the upper eight bits are the exponent plus one, and for
// infinities and NaNs the sum wraps to below 2^24.
constexpr uint32_t kExponentOne = 1U << 24;
constexpr uint32_t kLeastExponent = 24, kLeastExponents = 174; // float_slices.h

llvm::Type *integersLike(llvm::IRBuilderBase &b, LlvmValue *floats) {
  return floats->getType()->getWithNewType(b.getInt32Ty());
}
LlvmValue *bitsOf(llvm::IRBuilderBase &b, LlvmValue *floats) { return b.CreateBitCast(floats, integersLike(b, floats)); }
llvm::Constant *all(LlvmValue *like, uint32_t value) { return llvm::ConstantInt::get(like->getType(), value); }

LlvmValue *doubled(llvm::IRBuilderBase &b, LlvmValue *bits) { return b.CreateAdd(bits, bits); }
LlvmValue *keyOf(llvm::IRBuilderBase &b, LlvmValue *twice) { return b.CreateAdd(twice, all(twice, kExponentOne)); }
// Whether a float has no slices. Also true for 0, where it makes no difference, because both halves of a 0 are 0.
LlvmValue *areWhole(llvm::IRBuilderBase &b, LlvmValue *bits) {
  LlvmValue *key = keyOf(b, doubled(b, bits));
  return b.CreateICmpULT(key, all(key, (kLeastExponent + 1) * kExponentOne));
}

} // namespace

LlvmValues floatSlices(llvm::IRBuilderBase &b, LlvmValue *floats, int count) {
  LlvmValue *bits = bitsOf(b, floats), *whole = areWhole(b, bits);
  LlvmValues slices;
  LlvmValue *rest = floats;
  for (int i = 0; i + 1 < count; ++i) {
    LlvmValue *of = i == 1 ? b.CreateSelect(whole, b.CreateShl(bits, 16), bitsOf(b, rest)) : bitsOf(b, rest);
    slices.push_back(b.CreateBitCast(b.CreateAnd(of, all(of, kUpperHalf)), floats->getType()));
    rest = b.CreateFSub(rest, slices.back());
  }
  LlvmValue *none =
      count == 2 ? b.CreateBitCast(b.CreateShl(bits, 16), floats->getType()) : llvm::Constant::getNullValue(floats->getType());
  slices.push_back(b.CreateSelect(whole, none, rest));
  return slices;
}

LlvmValue *floatOfSlices(llvm::IRBuilderBase &b, const LlvmValues &slices) {
  LlvmValue *sum = slices[0], *upper = bitsOf(b, slices[0]);
  for (size_t i = 1; i < slices.size(); ++i) sum = b.CreateFAdd(sum, slices[i]);
  LlvmValue *halves = b.CreateOr(upper, b.CreateLShr(bitsOf(b, slices[1]), 16));
  return b.CreateSelect(areWhole(b, upper), b.CreateBitCast(halves, sum->getType()), sum);
}

LlvmValue *upperHalves(llvm::IRBuilderBase &b, LlvmValue *slice) {
  auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(slice->getType())->getNumElements());
  LlvmValue *halves = b.CreateBitCast(slice, llvm::FixedVectorType::get(b.getInt16Ty(), static_cast<unsigned>(2 * lanes)));
  llvm::SmallVector<int, 32> odd;
  for (int i = 0; i < lanes; ++i) odd.push_back(2 * i + 1);
  return b.CreateShuffleVector(halves, odd);
}

LlvmValue *wordsOfSlices(llvm::IRBuilderBase &b, LlvmValue *even, LlvmValue *odd) {
  return b.CreateBitCast(b.CreateOr(b.CreateLShr(bitsOf(b, even), 16), bitsOf(b, odd)), even->getType());
}

LlvmValue *keyOfNone(llvm::IRBuilderBase &b, int lanes) {
  return llvm::Constant::getAllOnesValue(llvm::FixedVectorType::get(b.getInt32Ty(), static_cast<unsigned>(lanes)));
}

LlvmValue *keyWith(llvm::IRBuilderBase &b, LlvmValue *key, LlvmValue *floats) {
  LlvmValue *twice = doubled(b, bitsOf(b, floats)), *isZero = b.CreateICmpEQ(twice, all(twice, 0));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, key, b.CreateSelect(isZero, all(twice, ~0U), keyOf(b, twice)));
}

LlvmValue *leastKey(llvm::IRBuilderBase &b, LlvmValue *key) {
  return b.CreateZExt(b.CreateUnaryIntrinsic(llvm::Intrinsic::vector_reduce_umin, key), b.getInt64Ty());
}

LlvmValue *haveSlices(llvm::IRBuilderBase &b, LlvmValue *left, LlvmValue *right) {
  auto exponentOf = [&](LlvmValue *key) { return b.CreateLShr(key, 24); }; // the exponent plus 1
  auto isLarge = [&](LlvmValue *exponent) { return b.CreateICmpUGT(exponent, b.getInt64(kLeastExponent)); };
  LlvmValue *ofLeft = exponentOf(left), *ofRight = exponentOf(right);
  LlvmValue *each = b.CreateAnd(isLarge(ofLeft), isLarge(ofRight));
  return b.CreateAnd(each, b.CreateICmpUGE(b.CreateAdd(ofLeft, ofRight), b.getInt64(kLeastExponents + 2)));
}

} // namespace xt
