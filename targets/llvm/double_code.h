// What the mathematical functions of f64 are made of: arithmetic on one f64 or on each f64 of a vector, and the exponential that they
// share.
#pragma once
#include "targets/llvm/loops.h"

#include <array>
#include <utility>

namespace xt {

// A number as the sum of two: `low` is what `high` lost in a rounding.
struct DoublePair {
  LlvmValue *high, *low;
};

class DoubleCode {
public:
  DoubleCode(llvm::IRBuilderBase &builder, llvm::Type *type)
      : b(builder), doubles_(type), ints_(type->getWithNewType(builder.getInt64Ty())) {}

protected:
  static constexpr uint64_t kMantissaBits = 52, kBias = 1023;
  static constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  // Adding kRounder to a number of at most 51 bits leaves the nearest integer in the lowest bits.
  static constexpr double kRounder = 0x1.8p52;

  llvm::Constant *number(double value) const { return llvm::ConstantFP::get(doubles_, value); }
  llvm::Constant *integer(uint64_t value) const { return llvm::ConstantInt::get(ints_, value); }
  LlvmValue *asInteger(LlvmValue *x) { return b.CreateBitCast(x, ints_); }
  LlvmValue *asDouble(LlvmValue *x) { return b.CreateBitCast(x, doubles_); }
  LlvmValue *fma(LlvmValue *x, LlvmValue *y, LlvmValue *z) { return b.CreateFMA(x, y, z); }
  LlvmValue *magnitude(LlvmValue *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  // c[0] + c[1] x + c[2] x^2 …
  template <size_t n> LlvmValue *polynomial(const std::array<double, n> &c, LlvmValue *x) {
    LlvmValue *sum = number(c[n - 1]);
    for (size_t i = n - 1; i-- > 0;) sum = fma(sum, x, number(c[i]));
    return sum;
  }
  // Preserves NaN: a comparison with NaN is false, and the select then returns x.
  LlvmValue *atMost(LlvmValue *x, double limit) { return b.CreateSelect(b.CreateFCmpOGT(x, number(limit)), number(limit), x); }
  LlvmValue *atLeast(LlvmValue *x, double limit) { return b.CreateSelect(b.CreateFCmpOLT(x, number(limit)), number(limit), x); }

  // x + y, for |x| >= |y| or x = 0 (Dekker's Fast2Sum); x y, exactly.
  DoublePair sum(LlvmValue *x, LlvmValue *y) {
    LlvmValue *high = b.CreateFAdd(x, y);
    return {high, b.CreateFAdd(b.CreateFSub(x, high), y)};
  }
  DoublePair product(LlvmValue *x, LlvmValue *y) {
    LlvmValue *high = b.CreateFMul(x, y);
    return {high, fma(x, y, b.CreateFNeg(high))};
  }

  // e^r - 1 for |r| <= ln(2)/2.
  LlvmValue *expm1OfSmall(LlvmValue *r) { return fma(b.CreateFMul(r, r), polynomial(expTerms(), r), r); }
  // 2^n of the lowest bits of an integer, if the result is normal.
  LlvmValue *power(LlvmValue *n) { return asDouble(b.CreateShl(b.CreateAdd(n, integer(kBias)), kMantissaBits)); }
  // x 2^n, where `image` is kRounder + n, rounded where that is subnormal: by two normal powers of two, whose exponents are the
  // halves of n.
  LlvmValue *scale(LlvmValue *x, LlvmValue *image) {
    return scaleBy(x, b.CreateSub(asInteger(image), asInteger(number(kRounder))));
  }
  LlvmValue *scaleBy(LlvmValue *x, LlvmValue *n) {
    LlvmValue *half = b.CreateAShr(n, 1);
    return b.CreateFMul(b.CreateFMul(x, power(half)), power(b.CreateSub(n, half)));
  }

  llvm::IRBuilderBase &b;
  llvm::Type *doubles_, *ints_;

private:
  // 1/(k + 2)! for (e^r - 1 - r) / r^2, |r| <= ln(2)/2: the first term left out is 2e-19 of e^r.
  static constexpr std::array<double, 13> expTerms() {
    std::array<double, 13> terms{};
    double factorial = 1;
    for (size_t k = 0; k < terms.size(); ++k) factorial *= static_cast<double>(k + 2), terms[k] = 1 / factorial;
    return terms;
  }
};

} // namespace xt
