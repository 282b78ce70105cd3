#include "targets/llvm/float_conversion.h"

#include "ir/elem_kinds.h"

#include <cmath>

namespace xt {

namespace {

struct Image { // layout of a format smaller than f32: sign, exponent, mantissa
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

constexpr uint64_t kSign = 0x80000000, kMagnitude = 0x7FFFFFFF, kInfinity = 0x7F800000, kQuietNan = 0x7FC00000;
constexpr unsigned kMantissa = 23, kBias = 127; // of f32
constexpr uint64_t kScaleNan = 255;

} // namespace

LlvmValue *FloatConversion::convert(LlvmValue *value, Elem from, Elem to) const {
  if (from == to) return value;
  if (from == Elem::F64) {
    if (to == Elem::F32) return b.CreateFPTrunc(value, form_.floatType(value));
    return narrow(narrowToOdd(value), to);
  }
  if (from == Elem::F4E2M1 && (to == Elem::F16 || to == Elem::BF16)) return widenNibble(value, to);
  LlvmValue *wide = widen(value, from);
  if (to == Elem::F64) return b.CreateFPExt(wide, form_.resized(wide->getType(), b.getDoubleTy()));
  return narrow(wide, to);
}

LlvmValue *FloatConversion::widen(LlvmValue *value, Elem from) const {
  if (from == Elem::F32 || from == Elem::TF32) return value;
  if (from == Elem::BF16)
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(value, form_.intType(value, 32)), 16), form_.floatType(value));
  if (isScale(from)) return widenScale(value);
  if (from == Elem::F8E5M2) // an f8E5M2 is the upper half of an f16
    return widen(b.CreateShl(b.CreateZExt(value, form_.intType(value, 16)), 8), Elem::F16);
  if (from == Elem::F16 && halves_)
    return b.CreateFPExt(b.CreateBitCast(value, form_.resized(value->getType(), b.getHalfTy())), form_.floatType(value));
  return widenImage(value, from);
}

// The bits of the magnitude, shifted into the fields of an f32, are the value scaled by a power of two. This holds for
// subnormals, too.
LlvmValue *FloatConversion::widenImage(LlvmValue *value, Elem from) const {
  Image image = imageOf(from);
  LlvmValue *wide = b.CreateZExt(value, form_.intType(value, 32));
  LlvmValue *magnitude = b.CreateAnd(wide, form_.bits(wide, image.magnitudeMask()));
  LlvmValue *moved = b.CreateShl(magnitude, kMantissa - image.mantissa);
  llvm::Type *type = form_.floatType(value);
  LlvmValue *scaled = b.CreateFMul(b.CreateBitCast(moved, type),
                                   llvm::ConstantFP::get(type, std::ldexp(1.0, static_cast<int>(kBias - image.bias()))));
  LlvmValue *result = b.CreateBitCast(scaled, wide->getType());
  if (elemInfo(from).specials == FloatSpecials::Nan) // the top pattern is NaN
    result =
        b.CreateSelect(b.CreateICmpEQ(magnitude, form_.bits(wide, image.magnitudeMask())), form_.bits(wide, kQuietNan), result);
  else if (hasInfinity(from))
    result = b.CreateSelect(b.CreateICmpUGE(magnitude, form_.bits(wide, image.infinity())),
                            b.CreateOr(moved, form_.bits(wide, kInfinity)), result);
  LlvmValue *sign = b.CreateShl(b.CreateLShr(wide, image.width() - 1), 31);
  return b.CreateBitCast(b.CreateOr(result, sign), type);
}

// Converts f4E2M1 to f16 or bf16 in lanes of 16 bits: exponent and fraction move into their fields with the difference of the
// biases, but 0 and the subnormal 0.5, whose image has no fraction.
LlvmValue *FloatConversion::widenNibble(LlvmValue *value, Elem to) const {
  Image from = imageOf(Elem::F4E2M1), image = imageOf(to);
  LlvmValue *wide = b.CreateZExt(value, form_.intType(value, 16));
  LlvmValue *magnitude = b.CreateAnd(wide, form_.bits(wide, from.magnitudeMask()));
  LlvmValue *rebias = form_.bits(wide, uint64_t{image.bias() - from.bias()} << image.mantissa);
  LlvmValue *normal = b.CreateAdd(b.CreateShl(magnitude, image.mantissa - from.mantissa), rebias);
  LlvmValue *small = b.CreateSelect(b.CreateICmpEQ(magnitude, form_.bits(wide, 0)), form_.bits(wide, 0), rebias);
  LlvmValue *result = b.CreateSelect(b.CreateICmpULT(magnitude, form_.bits(wide, 2)), small, normal);
  LlvmValue *sign = b.CreateShl(b.CreateLShr(wide, from.width() - 1), 15);
  return b.CreateOr(result, sign);
}

// A scale is the exponent of an f32, but for the least one, which is a subnormal f32, and NaN.
LlvmValue *FloatConversion::widenScale(LlvmValue *value) const {
  LlvmValue *wide = b.CreateZExt(value, form_.intType(value, 32));
  LlvmValue *image = b.CreateShl(wide, kMantissa);
  LlvmValue *least = form_.bits(wide, uint64_t{1} << (kMantissa - 1));
  image = b.CreateSelect(b.CreateICmpEQ(wide, form_.bits(wide, 0)), least, image);
  image = b.CreateSelect(b.CreateICmpEQ(wide, form_.bits(wide, kScaleNan)), form_.bits(wide, kQuietNan), image);
  return b.CreateBitCast(image, form_.floatType(value));
}

// Ties go to the larger power. Negative numbers and NaNs, whose images are beyond those of all positive numbers, become NaN; -0.0
// becomes the least scale, as 0.0 does.
LlvmValue *FloatConversion::narrowToScale(LlvmValue *value) const {
  LlvmValue *image = b.CreateBitCast(value, form_.intType(value, 32));
  image = b.CreateSelect(b.CreateICmpEQ(image, form_.bits(image, kSign)), form_.bits(image, 0), image);
  image = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, image, form_.bits(image, kSign)); // so that the sum does not wrap
  uint64_t half = uint64_t{1} << (kMantissa - 1);
  // The least scale is half of the least normal f32, 2^-126: the middle between the two is three quarters of it.
  LlvmValue *isSubnormal = b.CreateICmpULT(image, form_.bits(image, uint64_t{1} << kMantissa));
  LlvmValue *rounding = b.CreateSelect(isSubnormal, form_.bits(image, half / 2), form_.bits(image, half));
  LlvmValue *exponent = b.CreateLShr(b.CreateAdd(image, rounding), kMantissa);
  LlvmValue *scale = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, exponent, form_.bits(image, kScaleNan));
  return b.CreateTrunc(scale, form_.intType(value, 8));
}

// Rounds to odd: truncates towards zero and sets the last bit if anything was lost. The precision of f32 is at least twice that
// of the smaller formats plus two bits, so a second rounding gives the result of a single one (Boldo and Melquiond 2008).
LlvmValue *FloatConversion::narrowToOdd(LlvmValue *value) const {
  LlvmValue *nearest = b.CreateFPTrunc(value, form_.floatType(value));
  LlvmValue *back = b.CreateFPExt(nearest, value->getType());
  LlvmValue *image = b.CreateBitCast(nearest, form_.intType(value, 32));
  LlvmValue *away = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                    b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value));
  LlvmValue *cut = b.CreateSub(image, b.CreateZExt(away, image->getType()));
  LlvmValue *odd = b.CreateOr(cut, b.CreateZExt(b.CreateFCmpONE(back, value), image->getType()));
  return b.CreateBitCast(odd, nearest->getType());
}

LlvmValue *FloatConversion::roundMantissa(LlvmValue *image, unsigned dropped) const {
  LlvmValue *last = b.CreateAnd(b.CreateLShr(image, dropped), form_.bits(image, 1));
  return b.CreateAdd(b.CreateAdd(image, form_.bits(image, (uint64_t{1} << (dropped - 1)) - 1)), last);
}

LlvmValue *FloatConversion::narrow(LlvmValue *value, Elem to) const {
  if (to == Elem::F32) return value;
  if (to == Elem::F16 && halves_)
    return b.CreateBitCast(b.CreateFPTrunc(value, form_.resized(value->getType(), b.getHalfTy())), form_.intType(value, 16));
  if (isScale(to)) return narrowToScale(value);
  if (to != Elem::TF32 && to != Elem::BF16) return narrowImage(value, to);
  unsigned dropped = to == Elem::BF16 ? 16 : 13;
  LlvmValue *image = b.CreateBitCast(value, form_.intType(value, 32));
  LlvmValue *nan = b.CreateFCmpUNO(value, value);
  LlvmValue *rounded =
      b.CreateSelect(nan, b.CreateOr(image, form_.bits(image, kQuietNan & ~kInfinity)), roundMantissa(image, dropped));
  if (to == Elem::BF16) return b.CreateTrunc(b.CreateLShr(rounded, 16), form_.intType(value, 16));
  return b.CreateBitCast(b.CreateAnd(rounded, form_.bits(rounded, ~uint64_t{0} << dropped & 0xFFFFFFFF)), value->getType());
}

LlvmValue *FloatConversion::narrowImage(LlvmValue *value, Elem to) const {
  Image image = imageOf(to);
  llvm::Type *type = value->getType();
  unsigned dropped = kMantissa - image.mantissa;
  LlvmValue *whole = b.CreateBitCast(value, form_.intType(value, 32));
  LlvmValue *magnitude = b.CreateAnd(whole, form_.bits(whole, kMagnitude));
  LlvmValue *normal = b.CreateSub(b.CreateLShr(roundMantissa(magnitude, dropped), dropped),
                                  form_.bits(whole, uint64_t{kBias - image.bias()} << image.mantissa));
  // Adding a number whose last bit has the weight of the smallest subnormal makes the addition round correctly.
  double magic = std::ldexp(1.0, 1 - static_cast<int>(image.bias()) - static_cast<int>(image.mantissa) + 23);
  auto *magicConstant = llvm::ConstantFP::get(type, magic);
  LlvmValue *aligned = b.CreateFAdd(b.CreateBitCast(magnitude, type), magicConstant);
  LlvmValue *subnormal =
      b.CreateSub(b.CreateBitCast(aligned, whole->getType()), b.CreateBitCast(magicConstant, whole->getType()));
  LlvmValue *isSubnormal = b.CreateICmpULT(magnitude, form_.bits(whole, uint64_t{kBias - image.bias() + 1} << kMantissa));
  LlvmValue *result = b.CreateSelect(isSubnormal, subnormal, normal);
  if (!hasInfinity(to)) { // the top pattern is NaN or the largest number, and so is every value beyond that
    result = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, result, form_.bits(whole, image.magnitudeMask()));
  } else {
    result = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, result, form_.bits(whole, image.infinity()));
    LlvmValue *nan = b.CreateICmpUGT(magnitude, form_.bits(whole, kInfinity));
    result = b.CreateSelect(nan, form_.bits(whole, image.infinity() | (uint64_t{1} << (image.mantissa - 1))), result);
  }
  LlvmValue *sign = b.CreateShl(b.CreateLShr(whole, 31), image.width() - 1);
  if (elemInfo(to).specials == FloatSpecials::None) // NaN becomes the largest number
    sign = b.CreateSelect(b.CreateICmpUGT(magnitude, form_.bits(whole, kInfinity)), form_.bits(whole, 0), sign);
  auto storage = static_cast<unsigned>(elemInfo(to).storageBytes) * 8;
  return b.CreateTrunc(b.CreateOr(result, sign), form_.intType(value, storage));
}

} // namespace xt
