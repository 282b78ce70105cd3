#include "targets/llvm/float_functions.h"

#include "ir/op_kinds.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <cmath>
#include <limits>

namespace xt {

namespace Intrinsic = llvm::Intrinsic;

namespace {

// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2; error 3.2e-9 of e^r.
constexpr float kExp[] = {0x1.fffffcp-2F, 0x1.55548ep-3F, 0x1.55586ap-5F, 0x1.123c86p-7F, 0x1.6aae52p-10F};
// (log(1 + f) - f + f^2/2) / f^3 for sqrt(1/2) <= 1 + f <= sqrt(2); error 1.5e-8.
constexpr float kLog[] = {0x1.555554p-2F, -0x1.00027cp-2F, 0x1.99b52cp-3F, -0x1.546cd4p-3F,
                          0x1.205406p-3F, -0x1.0ad1a8p-3F, 0x1.17f3dap-3F, -0x1.7901d8p-4F};
// erf(x)/x - 1 in powers of x^2 for |x| <= 1; error 1.4e-9.
constexpr float kErfSmall[] = {0x1.06eba8p-3F, -0x1.81273ep-2F,  0x1.ce2ce6p-4F, -0x1.b7f71ap-6F,
                               0x1.53f224p-8F, -0x1.a3515ep-11F, 0x1.4771fcp-14F};
// -log(1 - erf(x)) for 1 <= x <= 4; error 1.1e-9 of erf(x).
constexpr float kErfLarge[] = {0x1.661d84p-12F, 0x1.2088eap+0F, 0x1.46baf0p-1F,  0x1.a653180p-4F,
                               -0x1.65cb0ep-6F, 0x1.8259f8p-9F, -0x1.86db8ep-13F};
// ln(2) split in two: the first part has 9 bits, so that its products with small integers are exact.
constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
constexpr float kLog2E = 1.44269504F, kLog10E = 0.434294482F, kLog10Of2 = 0.301029996F, kLn2 = 0.693147181F;
// Adding kRounder to a number of at most 22 bits leaves the nearest integer in the lowest bits.
constexpr float kRounder = 0x1.8p23F;
// Adding kParts leaves the nearest multiple of 1/32 there: the lowest five bits are an index into a table in two registers,
// with AVX-512.
constexpr float kParts = 0x1.8p18F;
constexpr int kTable = 32;
// (e^r - 1) / r for |r| <= ln(2)/64; error 5.3e-8 of e^r, with which exp is within 1.8 units of the last place.
constexpr float kExpOfPart[] = {0x1.0000f6p+0F, 0.5F};

class FloatFunctions {
public:
  FloatFunctions(llvm::IRBuilderBase &builder, llvm::Type *type, FloatUnit unit)
      : b(builder), floats_(type), ints_(type->getWithNewType(builder.getInt32Ty())), fuses_(unit.fuses),
        scales_(unit.scales && lanes() >= 4 && lanes() <= 16) {} // the widths that scalef supports

  LlvmValue *compute(OpKind kind, LlvmValue *x) {
    switch (kind) { // NOLINT: the rest is the library's
    case OpKind::Exp: return exp(x);
    case OpKind::Exp2: return exp2(x);
    case OpKind::Expm1: return b.CreateCopySign(expm1(x), x);
    case OpKind::Log: return log(x, OpKind::Log);
    case OpKind::Log2: return log(x, OpKind::Log2);
    case OpKind::Log10: return log(x, OpKind::Log10);
    case OpKind::Tanh: return tanh(x);
    case OpKind::Erf: return erf(x);
    default: return nullptr;
    }
  }

private:
  llvm::Constant *number(float value) const { return llvm::ConstantFP::get(floats_, value); }
  llvm::Constant *integer(uint32_t value) const { return llvm::ConstantInt::get(ints_, value); }
  unsigned lanes() const {
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(floats_);
    return vector ? vector->getNumElements() : 1;
  }
  LlvmValue *asInteger(LlvmValue *x) { return b.CreateBitCast(x, ints_); }
  LlvmValue *asFloat(LlvmValue *x) { return b.CreateBitCast(x, floats_); }
  LlvmValue *fma(LlvmValue *x, LlvmValue *y, LlvmValue *z) { // rounding twice is accurate enough here
    return fuses_ ? b.CreateFMA(x, y, z) : b.CreateFAdd(b.CreateFMul(x, y), z);
  }
  template <size_t n> LlvmValue *polynomial(const float (&c)[n], LlvmValue *x) {
    LlvmValue *sum = number(c[n - 1]);
    for (size_t i = n - 1; i-- > 0;) sum = fma(sum, x, number(c[i]));
    return sum;
  }
  // Preserves NaN: a comparison with NaN is false, and the select then returns x.
  LlvmValue *atMost(LlvmValue *x, float limit) { return b.CreateSelect(b.CreateFCmpOLT(number(limit), x), number(limit), x); }
  LlvmValue *atLeast(LlvmValue *x, float limit) { return b.CreateSelect(b.CreateFCmpOGT(number(limit), x), number(limit), x); }

  // x = n ln(2) + r.
  struct Reduced {
    LlvmValue *n, *image, *r; // image: rounder + n, as a float
  };
  Reduced reduce(LlvmValue *x, float rounder = kRounder) { // `rounder`: kParts for multiples of ln(2)/32
    LlvmValue *image = fma(x, number(kLog2E), number(rounder));
    LlvmValue *n = b.CreateFSub(image, number(rounder));
    LlvmValue *r = fma(n, number(-kLn2Low), fma(n, number(-kLn2High), x));
    return {n, image, r};
  }
  // e^r - 1.
  LlvmValue *expm1OfSmall(LlvmValue *r) { return fma(b.CreateFMul(r, r), polynomial(kExp, r), r); }
  LlvmValue *expOfSmall(LlvmValue *r) { return fma(fma(polynomial(kExp, r), r, number(1)), r, number(1)); }
  // 2^n from kRounder + n, if the result is normal.
  LlvmValue *powerOfTwo(LlvmValue *image) {
    return asFloat(b.CreateShl(b.CreateAdd(asInteger(image), integer(127)), 23)); // kRounder's low nine bits are 0
  }
  // Whether the powers 2^(1/32), 2^(2/32), … come from a table in registers, so that |r| <= ln(2)/64 and two terms are enough.
  bool usesTable() const { return scales_ && lanes() == kTable / 2; }
  float rounder() const { return usesTable() ? kParts : kRounder; }
  // Returns e^r 2^n for a reduction with rounder(). scalef rounds n down to an integer; other code must not be given an n with
  // a fraction.
  LlvmValue *scaledExp(const Reduced &reduced) {
    if (!usesTable()) return scale(expOfSmall(reduced.r), reduced.n, reduced.image);
    LlvmValue *power = b.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_ps_512, {},
                                         {powersFrom(0), asInteger(reduced.image), powersFrom(kTable / 2)});
    LlvmValue *r = atMostOne(reduced.r);
    return scale(fma(b.CreateFMul(r, polynomial(kExpOfPart, r)), power, power), reduced.n, reduced.image);
  }
  llvm::Constant *powersFrom(int first) {
    llvm::SmallVector<float, kTable / 2> powers;
    for (int i = first; i < first + kTable / 2; ++i)
      powers.push_back(static_cast<float>(std::exp2(static_cast<double>(i) / kTable)));
    return llvm::ConstantDataVector::get(b.getContext(), llvm::ArrayRef<float>(powers));
  }
  // Limits the magnitude of r to 1, and returns 1 for a NaN; r is NaN if x is infinite. For such an x, and for one so large
  // that r is meaningless, scalef returns infinity or 0 for any positive number that it is given. This saves the two
  // instructions that bound x.
  LlvmValue *atMostOne(LlvmValue *r) {
    // The least magnitude, with the sign of r; the current rounding mode (Intel's manual, "VRANGEPS").
    constexpr int kLeastMagnitude = 2, kRoundsAsEver = 4;
    llvm::Constant *zeros = llvm::Constant::getNullValue(floats_);
    llvm::Value *args[] = {r, number(1), b.getInt32(kLeastMagnitude), zeros, b.getInt16(0xffff), b.getInt32(kRoundsAsEver)};
    return b.CreateIntrinsic(Intrinsic::x86_avx512_mask_range_ps_512, {}, args);
  }
  // Returns x 2^n, rounded where that is subnormal.
  LlvmValue *scale(LlvmValue *x, LlvmValue *n, LlvmValue *image) {
    if (scales_) {
      Intrinsic::ID id = lanes() == 16  ? Intrinsic::x86_avx512_mask_scalef_ps_512
                         : lanes() == 8 ? Intrinsic::x86_avx512_mask_scalef_ps_256
                                        : Intrinsic::x86_avx512_mask_scalef_ps_128;
      llvm::SmallVector<LlvmValue *, 5> args{x, n, llvm::Constant::getNullValue(floats_),
                                             lanes() == 16 ? b.getInt16(0xffff) : b.getInt8(0xff)};
      if (lanes() == 16) args.push_back(b.getInt32(4)); // the current rounding mode
      return b.CreateIntrinsic(id, args);
    }
    // Multiplies by two normal powers of two. Their exponents are the halves of n, which are the lowest bits of the two halves
    // of the image, because the low ten bits of kRounder are 0.
    LlvmValue *half = b.CreateAShr(asInteger(image), 1), *rest = b.CreateSub(asInteger(image), half);
    auto power = [&](LlvmValue *exponent) { return asFloat(b.CreateShl(b.CreateAdd(exponent, integer(127)), 23)); };
    return b.CreateFMul(b.CreateFMul(x, power(half)), power(rest));
  }

  // Beyond these bounds the result rounds to infinity or 0. With a table, scaledExp() handles such x itself.
  LlvmValue *exp(LlvmValue *x) { return scaledExp(reduce(usesTable() ? x : atLeast(atMost(x, 89), -104), rounder())); }

  LlvmValue *exp2(LlvmValue *x) {
    if (!usesTable()) x = atLeast(atMost(x, 129), -150);
    LlvmValue *image = b.CreateFAdd(x, number(rounder())), *n = b.CreateFSub(image, number(rounder()));
    return scaledExp({n, image, b.CreateFMul(b.CreateFSub(x, n), number(kLn2))});
  }

  // Computes 2^n (e^r - 1) + (2^n - 1) with all terms halved, as 2^128 is no float.
  LlvmValue *expm1(LlvmValue *x) {
    Reduced reduced = reduce(atLeast(atMost(x, 89), -20));
    LlvmValue *power = powerOfTwo(b.CreateFSub(reduced.image, number(1)));
    LlvmValue *half = fma(power, expm1OfSmall(reduced.r), b.CreateFSub(power, number(0.5F)));
    return b.CreateFAdd(half, half);
  }

  LlvmValue *tanh(LlvmValue *x) {
    LlvmValue *magnitude = b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
    LlvmValue *t = expm1(b.CreateFAdd(magnitude, magnitude));
    LlvmValue *capped = atMost(t, 0x1p40F); // infinity divided by infinity would be NaN
    return b.CreateCopySign(b.CreateFDiv(capped, b.CreateFAdd(capped, number(2))), x);
  }

  LlvmValue *erf(LlvmValue *x) {
    LlvmValue *magnitude = atMost(b.CreateUnaryIntrinsic(Intrinsic::fabs, x), 4); // erf is 1 from 3.92 on
    LlvmValue *square = b.CreateFMul(x, x);
    LlvmValue *small = fma(polynomial(kErfSmall, square), x, x);
    Reduced reduced = reduce(b.CreateFNeg(polynomial(kErfLarge, magnitude)));
    LlvmValue *rest = b.CreateFMul(expOfSmall(reduced.r), powerOfTwo(reduced.image));
    LlvmValue *large = b.CreateCopySign(b.CreateFSub(number(1), rest), x);
    return b.CreateSelect(b.CreateFCmpOLT(magnitude, number(1)), small, large);
  }

  LlvmValue *log(LlvmValue *x, OpKind kind) {
    LlvmValue *tiny = b.CreateFCmpOLT(x, number(0x1p-126F));
    LlvmValue *image = asInteger(b.CreateSelect(tiny, b.CreateFMul(x, number(0x1p23F)), x));
    LlvmValue *exponent = b.CreateAShr(b.CreateSub(image, integer(0x3f3504f3)), 23); // bits of sqrt(1/2), the least 1 + f
    LlvmValue *f = b.CreateFSub(asFloat(b.CreateSub(image, b.CreateShl(exponent, 23))), number(1));
    LlvmValue *n = b.CreateFAdd(b.CreateSIToFP(exponent, floats_), b.CreateSelect(tiny, number(-23), number(0)));
    LlvmValue *square = b.CreateFMul(f, f);
    LlvmValue *rest = fma(square, number(-0.5F), b.CreateFMul(b.CreateFMul(square, f), polynomial(kLog, f)));
    LlvmValue *result = nullptr;
    if (kind == OpKind::Log)
      result = fma(n, number(kLn2High), b.CreateFAdd(f, fma(n, number(kLn2Low), rest)));
    else if (kind == OpKind::Log2)
      result = fma(b.CreateFAdd(f, rest), number(kLog2E), n);
    else
      result = fma(b.CreateFAdd(f, rest), number(kLog10E), b.CreateFMul(n, number(kLog10Of2)));
    constexpr float infinity = std::numeric_limits<float>::infinity();
    result = b.CreateSelect(b.CreateFCmpOLT(x, number(infinity)), result, x); // returns x if it is infinity or NaN
    result = b.CreateSelect(b.CreateFCmpOEQ(x, number(0)), number(-infinity), result);
    return b.CreateSelect(b.CreateFCmpOLT(x, number(0)), llvm::ConstantFP::getNaN(floats_), result);
  }

  llvm::IRBuilderBase &b;
  llvm::Type *floats_, *ints_;
  bool fuses_, scales_;
};

} // namespace

LlvmValue *floatFunction(llvm::IRBuilderBase &builder, OpKind kind, LlvmValue *x, FloatUnit unit) {
  return FloatFunctions(builder, x->getType(), unit).compute(kind, x);
}

} // namespace xt
