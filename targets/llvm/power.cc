#include "targets/llvm/power.h"

#include "ir/op_kinds.h"
#include "targets/llvm/double_code.h"
#include "targets/llvm/double_functions.h"

#include <limits>

namespace xt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// 2 / ln(2) and 1/3 as sums of two numbers.
constexpr double kTwoLog2E = 0x1.71547652b82fep+1, kTwoLog2ELow = 0x1.777d0ffda0d24p-55;
constexpr double kThird = 0x1.5555555555555p-2, kThirdLow = 0x1.5555555555555p-56;
// The bits of sqrt(1/2), the least m.
constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;

// 1/(2k + 5) for the terms of artanh(s) beyond the second, |s| <= 0.172: the first term left out is 2^-70 of artanh(s).
constexpr std::array<double, 11> artanhTerms() {
  std::array<double, 11> terms{};
  for (size_t k = 0; k < terms.size(); ++k) terms[k] = 1 / static_cast<double>(2 * k + 5);
  return terms;
}

class Power : DoubleCode {
public:
  Power(llvm::IRBuilderBase &builder, llvm::Type *type, bool single) : DoubleCode(builder, type), single_(single) {}

  LlvmValue *compute(LlvmValue *x, LlvmValue *y) {
    LlvmValue *size = magnitude(x);
    LlvmValue *result =
        single_ ? exponential(b.CreateFMul(y, doubleFunction(b, OpKind::Log2, size)), number(0)) : ofPair(size, y);
    // An infinity times log(1) is NaN.
    LlvmValue *ofOne = b.CreateAnd(b.CreateFCmpOEQ(size, number(1)), b.CreateFCmpORD(y, y));
    result = b.CreateSelect(ofOne, number(1), result);
    return withSign(x, y, result);
  }

private:
  // |x|^y with the sign and the special values of x^y.
  LlvmValue *withSign(LlvmValue *x, LlvmValue *y, LlvmValue *result) {
    LlvmValue *whole = b.CreateFCmpOEQ(trunc(y), y), *half = b.CreateFMul(y, number(0.5));
    LlvmValue *odd = b.CreateAnd(whole, b.CreateFCmpUNE(trunc(half), half));
    LlvmValue *negative = b.CreateICmpSLT(asInteger(x), integer(0)); // -0 too
    result = b.CreateSelect(b.CreateAnd(negative, odd), b.CreateFNeg(result), result);
    LlvmValue *undefined = b.CreateAnd(b.CreateFCmpOLT(x, number(0)), b.CreateFCmpOGT(x, number(-kInfinity)));
    undefined = b.CreateAnd(undefined, b.CreateFCmpONE(trunc(y), y)); // false if y is NaN
    result = b.CreateSelect(undefined, llvm::ConstantFP::getNaN(doubles_), result);
    LlvmValue *one = b.CreateOr(b.CreateFCmpOEQ(y, number(0)), b.CreateFCmpOEQ(x, number(1)));
    return b.CreateSelect(one, number(1), result);
  }
  LlvmValue *trunc(LlvmValue *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x); }

  // 2^(high + low), with |low| far below |high|. Beyond the bounds the result rounds to infinity or 0.
  LlvmValue *exponential(LlvmValue *high, LlvmValue *low) {
    high = atLeast(atMost(high, 1025), -1076);
    LlvmValue *image = b.CreateFAdd(high, number(kRounder)), *n = b.CreateFSub(image, number(kRounder));
    LlvmValue *r = fma(b.CreateFSub(high, n), number(kLn2), b.CreateFMul(low, number(kLn2)));
    return scale(b.CreateFAdd(expm1OfSmall(r), number(1)), image);
  }
  LlvmValue *ofPair(LlvmValue *size, LlvmValue *y) {
    DoublePair log = logarithm(size);
    DoublePair exponent = product(y, log.high);
    LlvmValue *low = fma(y, log.low, exponent.low);
    // An exponent out of bounds replaces the high part only; that of an infinity has no low part.
    LlvmValue *bounded = b.CreateFCmpOLT(magnitude(exponent.high), number(1080));
    return exponential(exponent.high, b.CreateSelect(bounded, low, number(0)));
  }
  // log2 of a number that is not negative; of 0 and infinity, the low part means nothing.
  DoublePair logarithm(LlvmValue *x) {
    LlvmValue *tiny = b.CreateFCmpOLT(x, number(std::numeric_limits<double>::min()));
    LlvmValue *image = asInteger(b.CreateSelect(tiny, b.CreateFMul(x, number(0x1p52)), x));
    LlvmValue *exponent = b.CreateAShr(b.CreateSub(image, integer(kSqrtHalf)), kMantissaBits);
    LlvmValue *f = b.CreateFSub(asDouble(b.CreateSub(image, b.CreateShl(exponent, kMantissaBits))), number(1));
    LlvmValue *n = b.CreateFAdd(b.CreateSIToFP(exponent, doubles_), b.CreateSelect(tiny, number(-52), number(0)));
    DoublePair own = artanh(quotient(f)), scaled = product(own.high, number(kTwoLog2E));
    LlvmValue *low = fma(own.high, number(kTwoLog2ELow), fma(own.low, number(kTwoLog2E), scaled.low));
    DoublePair all = sum(n, scaled.high); // |n| is 0, or at least 1 and the larger
    LlvmValue *high = b.CreateSelect(b.CreateFCmpOLT(x, number(kInfinity)), all.high, x); // x too if it is NaN
    high = b.CreateSelect(b.CreateFCmpOEQ(x, number(0)), number(-kInfinity), high);
    return {high, b.CreateFAdd(all.low, low)};
  }
  DoublePair quotient(LlvmValue *f) { // f / (2 + f)
    DoublePair divisor = sum(number(2), f);
    LlvmValue *high = b.CreateFDiv(f, divisor.high), *negative = b.CreateFNeg(high);
    LlvmValue *rest = fma(negative, divisor.low, fma(negative, divisor.high, f));
    return {high, b.CreateFDiv(rest, divisor.high)};
  }
  DoublePair artanh(const DoublePair &s) {
    DoublePair square = product(s.high, s.high);
    square.low = fma(b.CreateFAdd(s.high, s.high), s.low, square.low);
    DoublePair terms = sum(number(kThird), b.CreateFMul(square.high, polynomial(artanhTerms(), square.high)));
    terms.low = b.CreateFAdd(terms.low, number(kThirdLow));
    DoublePair cube = times(s, times(square, terms)), all = sum(s.high, cube.high);
    return {all.high, b.CreateFAdd(all.low, b.CreateFAdd(s.low, cube.low))};
  }
  DoublePair times(const DoublePair &x, const DoublePair &y) {
    DoublePair exact = product(x.high, y.high);
    return {exact.high, fma(x.high, y.low, fma(x.low, y.high, exact.low))};
  }

  bool single_;
};

} // namespace

LlvmValue *powerFunction(llvm::IRBuilderBase &builder, LlvmValue *x, LlvmValue *y, bool single) {
  return Power(builder, x->getType(), single).compute(x, y);
}

} // namespace xt
