#include "targets/llvm/double_functions.h"

#include "ir/op_kinds.h"
#include "targets/llvm/double_code.h"

#include <algorithm>
#include <limits>

namespace xt {

namespace {

constexpr OpKind kKinds[] = {OpKind::Exp,   OpKind::Exp2, OpKind::Expm1, OpKind::Log,  OpKind::Log2, OpKind::Log10,
                             OpKind::Log1p, OpKind::Sinh, OpKind::Tanh,  OpKind::Atan, OpKind::Erf};

constexpr double kLog2E = 0x1.71547652b82fep+0, kLog10E = 0x1.bcb7b1526e50ep-2;
// ln(2) split in two: the first part has 32 bits, so that its products with the exponents of f64 are exact. log10(2) likewise.
constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kLog10Of2High = 0x1.34413508p-2, kLog10Of2Low = 0x1.f79fef311f12bp-34;
constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54, kQuarterPi = kHalfPi / 2;
constexpr double kTanOfEighthPi = 0x1.a827999fcef32p-2;
// The bits of sqrt(1/2), the least m of log.
constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

// erf(x)/x - 1 in powers of x^2 for |x| <= 1; error 1.4e-17 of erf(x).
constexpr std::array<double, 12> kErfSmall{0x1.06eba8214db68p-3,   -0x1.812746b03799dp-2,  0x1.ce2f21a03f8bap-4,
                                           -0x1.b82ce311a9836p-6,  0x1.565bcceeda84ap-8,   -0x1.c02daeb6d0430p-11,
                                           0x1.f9a296a4076d4p-14,  -0x1.f4c82ce6b1622p-17, 0x1.b96b32c4cf79dp-20,
                                           -0x1.5b8b0b62090e1p-23, 0x1.d3cfc5a5bdd33p-27,  -0x1.a205182d6e40fp-31};
// -log(1 - erf(x)) in powers of x - 1 for 1 <= x <= 6; error 1.4e-17 of erf(x).
constexpr std::array<double, 18> kErfLarge{
    0x1.d97fbf27aa2a1p+0,  0x1.51c9b0006c22cp+1,   0x1.afabc11a2a51ap-1,   0x1.5477f09a6af65p-5,  -0x1.48c9d39954885p-7,
    0x1.033f5c49cbbb2p-9,  -0x1.f1b0cb5c0301dp-13, -0x1.b923c7cbb9a2fp-16, 0x1.c840c6818effbp-16, -0x1.44564efa08bc3p-17,
    0x1.1d76366587d7cp-19, -0x1.b038678139d90p-23, -0x1.00f3e94513613p-24, 0x1.249e4261d13d7p-25, -0x1.2ac47d597b65cp-27,
    0x1.731673602920ap-30, -0x1.0d8a97007bc24p-33, 0x1.613d59892c248p-38};

class DoubleFunctions : DoubleCode {
public:
  using DoubleCode::DoubleCode;

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
    case OpKind::Erf: return erf(x);
    default: return nullptr;
    }
  }

private:
  // x = n ln(2) + r.
  struct Reduced {
    LlvmValue *image, *r; // image: kRounder + n
  };
  Reduced reduce(LlvmValue *x) {
    LlvmValue *image = fma(x, number(kLog2E), number(kRounder)), *n = b.CreateFSub(image, number(kRounder));
    return {image, fma(n, number(-kLn2Low), fma(n, number(-kLn2High), x))};
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
    auto total = [&](LlvmValue *low) { return b.CreateFSub(f, b.CreateFSub(half, b.CreateFAdd(small, low))); };
    if (kind == OpKind::Log) return fma(n, number(kLn2High), total(b.CreateFMul(n, number(kLn2Low))));
    LlvmValue *own = total(number(0));
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
  LlvmValue *erf(LlvmValue *x) {
    LlvmValue *size = atMost(magnitude(x), 6); // erf is 1 from 5.93 on
    LlvmValue *small = fma(polynomial(kErfSmall, b.CreateFMul(size, size)), size, size);
    LlvmValue *large = b.CreateFSub(number(1), exp(b.CreateFNeg(polynomial(kErfLarge, b.CreateFSub(size, number(1))))));
    return b.CreateCopySign(b.CreateSelect(b.CreateFCmpOLT(size, number(1)), small, large), x);
  }
};

} // namespace

bool hasDoubleFunction(OpKind kind) { return std::ranges::find(kKinds, kind) != std::end(kKinds); }

LlvmValue *doubleFunction(llvm::IRBuilderBase &builder, OpKind kind, LlvmValue *x) {
  return DoubleFunctions(builder, x->getType()).compute(kind, x);
}

} // namespace xt
