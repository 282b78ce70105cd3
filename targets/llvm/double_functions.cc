#include "targets/llvm/double_functions.h"

#include "ir/op_kinds.h"

#include <array>
#include <cmath>
#include <limits>

namespace xt {

namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr OpKind kKinds[] = {OpKind::Exp,   OpKind::Exp2,  OpKind::Expm1, OpKind::Log,  OpKind::Log2,
                             OpKind::Log10, OpKind::Log1p, OpKind::Sinh,  OpKind::Tanh, OpKind::Atan};

constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLog2E = 0x1.71547652b82fep+0, kLog10E = 0x1.bcb7b1526e50ep-2;
// ln(2) split in two: the first part has 32 bits, so that its products with the exponents of f64 are exact. log10(2) likewise.
constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kLog10Of2High = 0x1.34413508p-2, kLog10Of2Low = 0x1.f79fef311f12bp-34;
constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54, kQuarterPi = kHalfPi / 2;
constexpr double kTanOfEighthPi = 0x1.a827999fcef32p-2;
// Adding kRounder to a number of at most 51 bits leaves the nearest integer in the lowest bits.
constexpr double kRounder = 0x1.8p52;
// The bits of sqrt(1/2), the least m of log.
constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
constexpr uint64_t kMantissaBits = 52, kBias = 1023;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 1/(k + 2)! for (e^r - 1 - r) / r^2, |r| <= ln(2)/2: the first term left out is 2e-19 of e^r.
constexpr std::array<double, 13> expTerms() {
  std::array<double, 13> terms{};
  double factorial = 1;
  for (size_t k = 0; k < terms.size(); ++k) factorial *= static_cast<double>(k + 2), terms[k] = 1 / factorial;
  return terms;
}
// 2/(2k + 3) for the terms of 2 artanh(s) beyond the first, |s| <= 0.172.
constexpr std::array<double, 11> logTerms() {
  std::array<double, 11> terms{};
  for (size_t k = 0; k < terms.size(); ++k) terms[k] = 2 / static_cast<double>(2 * k + 3);
  return terms;
}
// (-1)^(k + 1)/(2k + 3) for the terms of atan(z) beyond the first, |z| <= tan(pi/8).
constexpr std::array<double, 22> atanTerms() {
  std::array<double, 22> terms{};
  for (size_t k = 0; k < terms.size(); ++k) terms[k] = (k % 2 ? 1.0 : -1.0) / static_cast<double>(2 * k + 3);
  return terms;
}

class DoubleFunctions {
public:
  DoubleFunctions(llvm::IRBuilderBase &builder, llvm::Type *type)
      : b(builder), doubles_(type), ints_(type->getWithNewType(builder.getInt64Ty())) {}

  LlvmValue *compute(OpKind kind, LlvmValue *x) {
    switch (kind) { // NOLINT: the others have no code
    case OpKind::Exp: return exp(x);
    case OpKind::Exp2: return exp2(x);
    case OpKind::Expm1: return b.CreateCopySign(expm1(x), x);
    case OpKind::Log: return log(x, kind);
    case OpKind::Log2: return log(x, kind);
    case OpKind::Log10: return log(x, kind);
    case OpKind::Log1p: return log1p(x);
    case OpKind::Sinh: return sinh(x);
    case OpKind::Tanh: return tanh(x);
    case OpKind::Atan: return atan(x);
    default: return nullptr;
    }
  }

private:
  llvm::Constant *number(double value) const { return llvm::ConstantFP::get(doubles_, value); }
  llvm::Constant *integer(uint64_t value) const { return llvm::ConstantInt::get(ints_, value); }
  LlvmValue *asInteger(LlvmValue *x) { return b.CreateBitCast(x, ints_); }
  LlvmValue *asDouble(LlvmValue *x) { return b.CreateBitCast(x, doubles_); }
  LlvmValue *fma(LlvmValue *x, LlvmValue *y, LlvmValue *z) { return b.CreateFMA(x, y, z); }
  LlvmValue *magnitude(LlvmValue *x) { return b.CreateUnaryIntrinsic(Intrinsic::fabs, x); }
  template <size_t n> LlvmValue *polynomial(const std::array<double, n> &c, LlvmValue *x) {
    LlvmValue *sum = number(c[n - 1]);
    for (size_t i = n - 1; i-- > 0;) sum = fma(sum, x, number(c[i]));
    return sum;
  }
  // Preserves NaN: a comparison with NaN is false, and the select then returns x.
  LlvmValue *atMost(LlvmValue *x, double limit) { return b.CreateSelect(b.CreateFCmpOGT(x, number(limit)), number(limit), x); }
  LlvmValue *atLeast(LlvmValue *x, double limit) { return b.CreateSelect(b.CreateFCmpOLT(x, number(limit)), number(limit), x); }

  // x = n ln(2) + r.
  struct Reduced {
    LlvmValue *image, *r; // image: kRounder + n
  };
  Reduced reduce(LlvmValue *x) {
    LlvmValue *image = fma(x, number(kLog2E), number(kRounder)), *n = b.CreateFSub(image, number(kRounder));
    return {image, fma(n, number(-kLn2Low), fma(n, number(-kLn2High), x))};
  }
  LlvmValue *expm1OfSmall(LlvmValue *r) { return fma(b.CreateFMul(r, r), polynomial(expTerms(), r), r); } // e^r - 1
  // 2^n of the lowest bits of an integer, if the result is normal.
  LlvmValue *power(LlvmValue *n) { return asDouble(b.CreateShl(b.CreateAdd(n, integer(kBias)), kMantissaBits)); }
  // x 2^n, rounded where that is subnormal: by two normal powers of two, whose exponents are the halves of n.
  LlvmValue *scale(LlvmValue *x, LlvmValue *image) {
    LlvmValue *n = b.CreateSub(asInteger(image), asInteger(number(kRounder))), *half = b.CreateAShr(n, 1);
    return b.CreateFMul(b.CreateFMul(x, power(half)), power(b.CreateSub(n, half)));
  }

  // Beyond these bounds the results round to infinity or 0.
  LlvmValue *exp(LlvmValue *x) {
    Reduced reduced = reduce(atLeast(atMost(x, 710), -746));
    return scale(b.CreateFAdd(expm1OfSmall(reduced.r), number(1)), reduced.image);
  }
  LlvmValue *exp2(LlvmValue *x) {
    LlvmValue *bounded = atLeast(atMost(x, 1025), -1076);
    LlvmValue *image = b.CreateFAdd(bounded, number(kRounder)), *n = b.CreateFSub(image, number(kRounder));
    LlvmValue *r = b.CreateFMul(b.CreateFSub(bounded, n), number(kLn2));
    return scale(b.CreateFAdd(expm1OfSmall(r), number(1)), image);
  }
  // 2^n (e^r - 1) + (2^n - 1) with all terms halved, as 2^1024 is no number.
  LlvmValue *expm1(LlvmValue *x) {
    Reduced reduced = reduce(atLeast(atMost(x, 710), -40));
    LlvmValue *n = b.CreateSub(asInteger(reduced.image), asInteger(number(kRounder)));
    LlvmValue *halfPower = power(b.CreateSub(n, integer(1)));
    LlvmValue *half = fma(halfPower, expm1OfSmall(reduced.r), b.CreateFSub(halfPower, number(0.5)));
    return b.CreateFAdd(half, half);
  }

  LlvmValue *log(LlvmValue *x, OpKind kind) { return special(x, logOfNumber(x, nullptr, kind)); }
  // log of a positive number x, of which `lost` was lost in a rounding (null: nothing).
  LlvmValue *logOfNumber(LlvmValue *x, LlvmValue *lost, OpKind kind) {
    LlvmValue *tiny = b.CreateFCmpOLT(x, number(std::numeric_limits<double>::min()));
    LlvmValue *image = asInteger(b.CreateSelect(tiny, b.CreateFMul(x, number(0x1p52)), x));
    LlvmValue *exponent = b.CreateAShr(b.CreateSub(image, integer(kSqrtHalf)), kMantissaBits);
    LlvmValue *f = b.CreateFSub(asDouble(b.CreateSub(image, b.CreateShl(exponent, kMantissaBits))), number(1));
    LlvmValue *n = b.CreateFAdd(b.CreateSIToFP(exponent, doubles_), b.CreateSelect(tiny, number(-52), number(0)));
    LlvmValue *s = b.CreateFDiv(f, b.CreateFAdd(f, number(2))), *square = b.CreateFMul(s, s);
    LlvmValue *half = b.CreateFMul(b.CreateFMul(f, f), number(0.5));
    LlvmValue *rest = b.CreateFMul(square, polynomial(logTerms(), square));
    LlvmValue *small = b.CreateFMul(s, b.CreateFAdd(half, rest)); // log(1 + f) = f - (f^2/2 - this)
    if (lost) small = b.CreateFAdd(small, b.CreateFDiv(lost, x));
    auto sum = [&](LlvmValue *low) { return b.CreateFSub(f, b.CreateFSub(half, b.CreateFAdd(small, low))); };
    if (kind == OpKind::Log) return fma(n, number(kLn2High), sum(b.CreateFMul(n, number(kLn2Low))));
    LlvmValue *own = sum(number(0));
    if (kind == OpKind::Log2) return fma(own, number(kLog2E), n);
    return fma(n, number(kLog10Of2High), fma(own, number(kLog10E), b.CreateFMul(n, number(kLog10Of2Low))));
  }
  // The logarithm of x, where it is none of a positive number: of infinity, NaN, 0 and below.
  LlvmValue *special(LlvmValue *x, LlvmValue *result) {
    result = b.CreateSelect(b.CreateFCmpOLT(x, number(kInfinity)), result, x);
    result = b.CreateSelect(b.CreateFCmpOEQ(x, number(0)), number(-kInfinity), result);
    return b.CreateSelect(b.CreateFCmpOLT(x, number(0)), llvm::ConstantFP::getNaN(doubles_), result);
  }
  // Knuth's TwoSum gives what the sum 1 + x lost.
  LlvmValue *log1p(LlvmValue *x) {
    LlvmValue *u = b.CreateFAdd(x, number(1)), *virtualOne = b.CreateFSub(u, x), *virtualX = b.CreateFSub(u, virtualOne);
    LlvmValue *lost = b.CreateFAdd(b.CreateFSub(x, virtualX), b.CreateFSub(number(1), virtualOne));
    LlvmValue *result = special(u, logOfNumber(u, lost, OpKind::Log));
    return b.CreateSelect(b.CreateFCmpOLT(magnitude(x), number(0x1p-54)), x, result); // 1 + x is 1, and -0 stays
  }

  LlvmValue *tanh(LlvmValue *x) {
    LlvmValue *size = atMost(magnitude(x), 30), *t = expm1(b.CreateFAdd(size, size)); // 1 from 19.1 on
    return b.CreateCopySign(b.CreateFDiv(t, b.CreateFAdd(t, number(2))), x);
  }
  // Beyond 700 the square of e^(x/2), as e^x may overflow where its half does not.
  LlvmValue *sinh(LlvmValue *x) {
    LlvmValue *size = magnitude(x), *t = expm1(atMost(size, 700));
    LlvmValue *usual = b.CreateFMul(b.CreateFAdd(t, b.CreateFDiv(t, b.CreateFAdd(t, number(1)))), number(0.5));
    LlvmValue *root = exp(b.CreateFMul(size, number(0.5)));
    LlvmValue *large = b.CreateFMul(b.CreateFMul(root, number(0.5)), root);
    return b.CreateCopySign(b.CreateSelect(b.CreateFCmpOGT(size, number(700)), large, usual), x);
  }
  LlvmValue *atan(LlvmValue *x) {
    LlvmValue *size = magnitude(x), *beyondOne = b.CreateFCmpOGT(size, number(1));
    LlvmValue *y = b.CreateSelect(beyondOne, b.CreateFDiv(number(1), size), size);
    LlvmValue *beyond = b.CreateFCmpOGT(y, number(kTanOfEighthPi));
    LlvmValue *turned = b.CreateFDiv(b.CreateFSub(y, number(1)), b.CreateFAdd(y, number(1)));
    LlvmValue *z = b.CreateSelect(beyond, turned, y), *square = b.CreateFMul(z, z);
    LlvmValue *series = fma(b.CreateFMul(square, z), polynomial(atanTerms(), square), z);
    LlvmValue *angle = b.CreateSelect(beyond, b.CreateFAdd(series, number(kQuarterPi)), series);
    LlvmValue *rest = b.CreateFAdd(b.CreateFSub(number(kHalfPi), angle), number(kHalfPiLow));
    return b.CreateCopySign(b.CreateSelect(beyondOne, rest, angle), x);
  }

  llvm::IRBuilderBase &b;
  llvm::Type *doubles_, *ints_;
};

} // namespace

bool hasDoubleFunction(OpKind kind) { return std::ranges::find(kKinds, kind) != std::end(kKinds); }

LlvmValue *doubleFunction(llvm::IRBuilderBase &builder, OpKind kind, LlvmValue *x) {
  return DoubleFunctions(builder, x->getType()).compute(kind, x);
}

} // namespace xt
