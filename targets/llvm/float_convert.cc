// Conversions between float formats in registers. Rounding to formats other than f32 and f64 operates on the bits:
// the hardware's bf16 conversion flushes subnormals, and for most formats there is no hardware conversion.
#include "ir/elem_kinds.h"
#include "targets/llvm/register_ops.h"

#include <cmath>

namespace xt {

namespace {

struct Image { // layout of a format below f32: sign, exponent, mantissa
  unsigned mantissa, exponent;
  unsigned width() const { return 1 + mantissa + exponent; }
  unsigned bias() const { return (1u << (exponent - 1)) - 1; }
  uint64_t magnitudeMask() const { return (uint64_t{1} << (mantissa + exponent)) - 1; }
  uint64_t infinity() const { return ((uint64_t{1} << exponent) - 1) << mantissa; }
};

Image imageOf(Elem elem) {
  const ElemInfo &info = elemInfo(elem);
  auto mantissa = static_cast<unsigned>(info.precision - 1);
  return {mantissa, static_cast<unsigned>(info.bits) - 1 - mantissa};
}

constexpr uint64_t kMagnitude = 0x7FFFFFFF, kInfinity = 0x7F800000, kQuietNan = 0x7FC00000;
constexpr unsigned kMantissa = 23, kBias = 127; // of f32

} // namespace

LlvmValue *RegisterOps::convertFloat(LlvmValue *value, Elem from, Elem to) {
  if (from == to) return value;
  if (from == Elem::F64) {
    if (to == Elem::F32) return b.CreateFPTrunc(value, floatType(value));
    return narrow(narrowToOdd(value), to);
  }
  LlvmValue *wide = widen(value, from);
  if (to == Elem::F64) return b.CreateFPExt(wide, resized(wide->getType(), b.getDoubleTy()));
  return narrow(wide, to);
}

LlvmValue *RegisterOps::mmaOperand(LlvmValue *value, Elem from) {
  if (isInteger(from)) return resizeInteger(value, from, Elem::I32, !elemInfo(from).isUnsigned);
  return from == Elem::TF32 ? narrow(value, from) : convertFloat(value, from, Elem::F32);
}

LlvmValue *RegisterOps::widen(LlvmValue *value, Elem from) {
  if (from == Elem::F32 || from == Elem::TF32) return value;
  if (from == Elem::BF16) return b.CreateBitCast(b.CreateShl(b.CreateZExt(value, intType(value, 32)), 16), floatType(value));
  if (from == Elem::F8E5M2) // an f8E5M2 is the upper half of an f16
    return widen(b.CreateShl(b.CreateZExt(value, intType(value, 16)), 8), Elem::F16);
  if (from == Elem::F16 && traits_.halves)
    return b.CreateFPExt(b.CreateBitCast(value, resized(value->getType(), b.getHalfTy())), floatType(value));
  return widenImage(value, from);
}

// The bits of the magnitude, shifted into the fields of an f32, are the value scaled by a power of two, subnormals
// included.
LlvmValue *RegisterOps::widenImage(LlvmValue *value, Elem from) {
  Image image = imageOf(from);
  LlvmValue *wide = b.CreateZExt(value, intType(value, 32));
  LlvmValue *magnitude = b.CreateAnd(wide, bits(wide, image.magnitudeMask()));
  LlvmValue *moved = b.CreateShl(magnitude, kMantissa - image.mantissa);
  llvm::Type *type = floatType(value);
  LlvmValue *scaled = b.CreateFMul(b.CreateBitCast(moved, type),
                                   llvm::ConstantFP::get(type, std::ldexp(1.0, static_cast<int>(kBias - image.bias()))));
  LlvmValue *result = b.CreateBitCast(scaled, wide->getType());
  if (!hasInfinity(from)) // the top pattern is NaN
    result = b.CreateSelect(b.CreateICmpEQ(magnitude, bits(wide, image.magnitudeMask())), bits(wide, kQuietNan), result);
  else
    result = b.CreateSelect(b.CreateICmpUGE(magnitude, bits(wide, image.infinity())), b.CreateOr(moved, bits(wide, kInfinity)),
                            result);
  LlvmValue *sign = b.CreateShl(b.CreateLShr(wide, image.width() - 1), 31);
  return b.CreateBitCast(b.CreateOr(result, sign), type);
}

// Rounds to odd: truncates towards zero and sets the last bit if anything was lost. f32 has at least two more bits
// than twice those of the smaller formats, so a second rounding gives the result of a single one (Boldo and Melquiond
// 2008).
LlvmValue *RegisterOps::narrowToOdd(LlvmValue *value) {
  LlvmValue *nearest = b.CreateFPTrunc(value, floatType(value));
  LlvmValue *back = b.CreateFPExt(nearest, value->getType());
  LlvmValue *image = b.CreateBitCast(nearest, intType(value, 32));
  LlvmValue *away = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                    b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value));
  LlvmValue *cut = b.CreateSub(image, b.CreateZExt(away, image->getType()));
  LlvmValue *odd = b.CreateOr(cut, b.CreateZExt(b.CreateFCmpONE(back, value), image->getType()));
  return b.CreateBitCast(odd, nearest->getType());
}

LlvmValue *RegisterOps::roundMantissa(LlvmValue *image, unsigned dropped) {
  LlvmValue *last = b.CreateAnd(b.CreateLShr(image, dropped), bits(image, 1));
  return b.CreateAdd(b.CreateAdd(image, bits(image, (uint64_t{1} << (dropped - 1)) - 1)), last);
}

LlvmValue *RegisterOps::narrow(LlvmValue *value, Elem to) {
  if (to == Elem::F32) return value;
  if (to == Elem::F16 && traits_.halves)
    return b.CreateBitCast(b.CreateFPTrunc(value, resized(value->getType(), b.getHalfTy())), intType(value, 16));
  if (to != Elem::TF32 && to != Elem::BF16) return narrowImage(value, to);
  unsigned dropped = to == Elem::BF16 ? 16 : 13;
  LlvmValue *image = b.CreateBitCast(value, intType(value, 32));
  LlvmValue *nan = b.CreateFCmpUNO(value, value);
  LlvmValue *rounded =
      b.CreateSelect(nan, b.CreateOr(image, bits(image, kQuietNan & ~kInfinity)), roundMantissa(image, dropped));
  if (to == Elem::BF16) return b.CreateTrunc(b.CreateLShr(rounded, 16), intType(value, 16));
  return b.CreateBitCast(b.CreateAnd(rounded, bits(rounded, ~uint64_t{0} << dropped & 0xFFFFFFFF)), value->getType());
}

LlvmValue *RegisterOps::narrowImage(LlvmValue *value, Elem to) {
  Image image = imageOf(to);
  llvm::Type *type = value->getType();
  unsigned dropped = kMantissa - image.mantissa;
  LlvmValue *whole = b.CreateBitCast(value, intType(value, 32));
  LlvmValue *magnitude = b.CreateAnd(whole, bits(whole, kMagnitude));
  LlvmValue *normal = b.CreateSub(b.CreateLShr(roundMantissa(magnitude, dropped), dropped),
                                  bits(whole, uint64_t{kBias - image.bias()} << image.mantissa));
  // Adding a number whose last place is the smallest subnormal makes the adder round.
  double magic = std::ldexp(1.0, 1 - static_cast<int>(image.bias()) - static_cast<int>(image.mantissa) + 23);
  auto *magicConstant = llvm::ConstantFP::get(type, magic);
  LlvmValue *aligned = b.CreateFAdd(b.CreateBitCast(magnitude, type), magicConstant);
  LlvmValue *subnormal =
      b.CreateSub(b.CreateBitCast(aligned, whole->getType()), b.CreateBitCast(magicConstant, whole->getType()));
  LlvmValue *isSubnormal = b.CreateICmpULT(magnitude, bits(whole, uint64_t{kBias - image.bias() + 1} << kMantissa));
  LlvmValue *result = b.CreateSelect(isSubnormal, subnormal, normal);
  if (!hasInfinity(to)) { // no infinity: the top pattern is NaN, and so is every value beyond the largest number
    result = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, result, bits(whole, image.magnitudeMask()));
  } else {
    result = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, result, bits(whole, image.infinity()));
    LlvmValue *nan = b.CreateICmpUGT(magnitude, bits(whole, kInfinity));
    result = b.CreateSelect(nan, bits(whole, image.infinity() | (uint64_t{1} << (image.mantissa - 1))), result);
  }
  LlvmValue *sign = b.CreateShl(b.CreateLShr(whole, 31), image.width() - 1);
  return b.CreateTrunc(b.CreateOr(result, sign), intType(value, image.width()));
}

} // namespace xt
