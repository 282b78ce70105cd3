#include "ir/interp/field.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/interp/float_ops.h"
#include "ir/op_kinds.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace xt {

namespace {
using Wide = unsigned __int128;
constexpr uint64_t kOuter = FieldValue::kOuter, kInner = FieldValue::kInner;

uint64_t add(uint64_t a, uint64_t b, uint64_t prime) { return (a + b) % prime; } // both are below 2^61
uint64_t negate(uint64_t a, uint64_t prime) { return a == 0 ? 0 : prime - a; }
uint64_t multiply(uint64_t a, uint64_t b, uint64_t prime) { return static_cast<uint64_t>(static_cast<Wide>(a) * b % prime); }
uint64_t power(uint64_t base, uint64_t exponent, uint64_t prime) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base = multiply(base, base, prime))
    if (exponent & 1) result = multiply(result, base, prime);
  return result;
}
uint64_t inverse(uint64_t a, uint64_t prime) { return power(a, prime - 2, prime); } // by Fermat's little theorem
uint64_t residue(int64_t value, uint64_t prime) {
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return value < 0 ? negate(magnitude % prime, prime) : magnitude % prime;
}

// SplitMix64 (Steele, Lea, Flood 2014).
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

FieldValue special(double real) { return {real, 0, 0, true}; }

// Returns integer * base^exponent; `base` is 10 or 2, and `real` is the result's real value.
FieldValue scaled(double real, int64_t integer, uint64_t base, int exponent) {
  FieldValue value{real, residue(integer, kOuter), residue(integer, kInner), true};
  auto scale = [&](uint64_t residueOf, uint64_t prime) {
    uint64_t factor = power(base, static_cast<uint64_t>(std::abs(exponent)), prime);
    return multiply(residueOf, exponent < 0 ? inverse(factor, prime) : factor, prime);
  };
  value.outer = scale(value.outer, kOuter);
  value.inner = scale(value.inner, kInner);
  return value;
}

struct Decimal { // digits * 10^exponent, where `digits` has `count` decimal digits
  int64_t digits = 0;
  int exponent = 0, count = 0;
};
// Returns the decimal with the fewest digits that rounds to `value` in the type `elem`.
Decimal shortestDecimal(Elem elem, double value) {
  for (int precision = 1;; ++precision) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*e", precision - 1, value);
    if (precision < 17 && roundTo(elem, std::strtod(text, nullptr)) != value) continue;
    Decimal decimal{0, std::atoi(std::string(text).substr(std::string(text).find('e') + 1).c_str()) - (precision - 1),
                    precision};
    for (const char *c = text; *c != 'e'; ++c)
      if (*c >= '0' && *c <= '9') decimal.digits = decimal.digits * 10 + (*c - '0');
    if (value < 0) decimal.digits = -decimal.digits;
    return decimal;
  }
}

int significantBits(double value) {
  int exponent;
  auto significand = static_cast<int64_t>(std::ldexp(std::fabs(std::frexp(value, &exponent)), 53));
  int bits = 53;
  for (; bits > 1 && (significand & 1) == 0; significand >>= 1) --bits;
  return bits;
}

FieldValue dyadic(double value) {
  int exponent;
  auto significand = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  return scaled(value, significand, 2, exponent - 53);
}
} // namespace

bool sameField(const FieldValue &a, const FieldValue &b) {
  if (std::isnan(a.real) || std::isnan(b.real)) return std::isnan(a.real) && std::isnan(b.real);
  if (std::isinf(a.real) || std::isinf(b.real)) return a.real == b.real;
  return a.outer == b.outer && (!a.hasInner || !b.hasInner || a.inner == b.inner);
}

FieldValue fieldFromInteger(int64_t value) {
  return {static_cast<double>(value), residue(value, kOuter), residue(value, kInner), true};
}

namespace {
// Library functions are related by these numbers: log2(x) = log(x) * log2(e), and log10(x) = log(x) * log10(e).
constexpr double kLog2E = 1.44269504088896340736, kLog10E = 0.43429448190325182765;
FieldValue log2e() { return fieldFromReal(Elem::F32, kLog2E); }
FieldValue log10e() { return fieldFromReal(Elem::F32, kLog10E); }

FieldValue withReal(FieldValue value, double real) {
  value.real = real;
  return value;
}
FieldValue negated(const FieldValue &a) { return {-a.real, negate(a.outer, kOuter), negate(a.inner, kInner), a.hasInner}; }
} // namespace

// A value with at most kFewestBits significant bits stands for itself (0.125, 2^-14), and so does one that its type rounds to
// 0 or infinity. For any other value let d be the decimal with the fewest digits that rounds to it in its type, such as 0.1.
// The value stands for itself if d has more than kFewDigits digits and the value has at most kFewBits significant bits, else
// for d.
FieldValue fieldFromReal(Elem elem, double value) {
  constexpr int kFewestBits = 3, kFewBits = 11, kFewDigits = 3; // the significand of f16 has 11 bits
  if (!std::isfinite(value)) return special(value);
  if (value == 0) return {value, 0, 0, true};
  if (elem == Elem::TF32) elem = Elem::F32;
  // log2(e) has one field value, whether it is written with the digits of f32 or of f64, and so has log10(e).
  if (elem == Elem::F64 && std::fabs(value) == kLog2E) return withReal(value < 0 ? negated(log2e()) : log2e(), value);
  if (elem == Elem::F64 && std::fabs(value) == kLog10E) return withReal(value < 0 ? negated(log10e()) : log10e(), value);
  double rounded = roundTo(elem, value);
  if (!std::isfinite(rounded) || rounded == 0) return dyadic(value);
  int bits = significantBits(value);
  if (bits <= kFewestBits) return dyadic(value);
  Decimal decimal = shortestDecimal(elem, rounded);
  if (decimal.count > kFewDigits && bits <= kFewBits) return dyadic(value);
  return scaled(value, decimal.digits, 10, decimal.exponent);
}

FieldValue fieldUnknown(double real, uint64_t seed, uint64_t index) {
  if (!std::isfinite(real) || real == 0) return fieldFromReal(Elem::F64, real);
  uint64_t draw = mix(mix(seed) ^ index);
  return {real, mix(draw) % kOuter, mix(~draw) % kInner, true};
}

FieldValue fieldAdd(const FieldValue &a, const FieldValue &b) {
  double real = a.real + b.real;
  if (!std::isfinite(a.real) || !std::isfinite(b.real)) return special(real);
  bool inner = a.hasInner && b.hasInner;
  return {real, add(a.outer, b.outer, kOuter), inner ? add(a.inner, b.inner, kInner) : 0, inner};
}

namespace {
bool isZero(const FieldValue &a) { return a.outer == 0 && a.hasInner && a.inner == 0 && std::isfinite(a.real); }

// Returns 1 / a. An infinite or NaN result has no field value, so callers must not replace its real value by a finite one.
FieldValue inverted(const FieldValue &a) {
  double real = 1 / a.real;
  if (!std::isfinite(a.real) || a.real == 0) return special(real);
  // Algebraically `a` is 0; its real value is only a rounding error of f64. The result is 1 / 0 with an unknown sign.
  if (a.outer == 0) return special(std::numeric_limits<double>::quiet_NaN());
  return {real, inverse(a.outer, kOuter), a.hasInner ? inverse(a.inner, kInner) : 0, a.hasInner};
}
} // namespace

FieldValue fieldMultiply(const FieldValue &a, const FieldValue &b) {
  double real = a.real * b.real;
  if (!std::isfinite(a.real) || !std::isfinite(b.real)) return special(real);
  if (isZero(a) || isZero(b)) return {real, 0, 0, true};
  bool inner = a.hasInner && b.hasInner;
  return {real, multiply(a.outer, b.outer, kOuter), inner ? multiply(a.inner, b.inner, kInner) : 0, inner};
}

void fieldDot(FieldValue &acc, const FieldValue *a, size_t stepA, const FieldValue *b, size_t stepB, size_t count) {
  constexpr size_t kMostProducts = 32; // the sum of this many products, each below 2^122, fits 128 bits
  bool plain = std::isfinite(acc.real);
  for (size_t i = 0; plain && i < count; ++i)
    plain =
        a[i * stepA].hasInner && b[i * stepB].hasInner && std::isfinite(a[i * stepA].real) && std::isfinite(b[i * stepB].real);
  if (!plain) {
    for (size_t i = 0; i < count; ++i) acc = fieldAdd(acc, fieldMultiply(a[i * stepA], b[i * stepB]));
    return;
  }
  for (size_t begin = 0; begin < count; begin += kMostProducts) {
    Wide outer = acc.outer, inner = acc.inner;
    for (size_t i = begin; i < std::min(count, begin + kMostProducts); ++i) {
      const FieldValue &x = a[i * stepA], &y = b[i * stepB];
      outer += static_cast<Wide>(x.outer) * y.outer;
      inner += static_cast<Wide>(x.inner) * y.inner;
      acc.real += x.real * y.real;
    }
    acc.outer = static_cast<uint64_t>(outer % kOuter);
    acc.inner = acc.hasInner ? static_cast<uint64_t>(inner % kInner) : 0;
  }
}

namespace {
// The result of a function that has no known properties, except that equal arguments give equal results.
FieldValue uninterpreted(OpKind kind, double real, const FieldValue &argument) {
  if (!std::isfinite(argument.real)) return fieldFromReal(Elem::F64, real);
  uint64_t draw = mix(argument.outer ^ mix(static_cast<uint64_t>(kind)));
  return {real, mix(draw) % kOuter, mix(~draw) % kInner, true};
}
FieldValue odd(OpKind kind, double (*f)(double), const FieldValue &x) {
  if (isZero(x)) return x;
  bool below = x.outer > kOuter / 2;
  FieldValue value = uninterpreted(kind, f(below ? -x.real : x.real), below ? negated(x) : x);
  return below ? negated(value) : value;
}
FieldValue asymmetric(OpKind kind, double (*f)(double), const FieldValue &x) { return uninterpreted(kind, f(x.real), x); }
FieldValue even(OpKind kind, double (*f)(double), const FieldValue &x) {
  return uninterpreted(kind, f(x.real), x.outer > kOuter / 2 ? negated(x) : x);
}

FieldValue one() { return fieldFromInteger(1); }
FieldValue sub(const FieldValue &a, const FieldValue &b) { return fieldAdd(a, negated(b)); }
FieldValue div(const FieldValue &a, const FieldValue &b) {
  FieldValue factor = inverted(b), value = fieldMultiply(a, factor);
  if (std::isnan(factor.real)) return factor;
  value.real = a.real / b.real;
  return std::isfinite(value.real) ? value : special(value.real);
}

FieldValue exponential(const FieldValue &x) {
  double real = std::exp(x.real);
  if (std::isnan(x.real) || std::isinf(x.real)) return real == 0 ? FieldValue{} : special(real);
  if (!x.hasInner) return uninterpreted(OpKind::Exp, real, x);
  bool isOne = x.inner == 0;
  return {real, power(4, x.inner, kOuter), isOne ? uint64_t{1} : uint64_t{0}, isOne};
}

// tanh(x) = (exp(2x) - 1) / (exp(2x) + 1), which tends to 1 and -1.
FieldValue hyperbolicTangent(const FieldValue &x) {
  double real = std::tanh(x.real);
  if (!x.hasInner || !std::isfinite(x.real)) return odd(OpKind::Tanh, std::tanh, x);
  FieldValue e = exponential(fieldAdd(x, x)), value = div(sub(e, one()), fieldAdd(e, one()));
  // For large x the real value of exp(2x) overflows f64. Its field value is right, and needs only a finite real value beside
  // it.
  if (!std::isfinite(e.real)) {
    e.real = 1;
    value = div(sub(e, one()), fieldAdd(e, one()));
  }
  value.real = real;
  return value;
}
FieldValue hyperbolicSine(const FieldValue &x) {
  FieldValue value = fieldMultiply(sub(exponential(x), exponential(negated(x))), fieldFromReal(Elem::F32, 0.5));
  value.real = std::sinh(x.real);
  return value;
}

// The result is exact if the square of the real root, taken as a literal, is the argument: sqrt(64) is 8.
FieldValue squareRoot(const FieldValue &x) {
  if (x.outer == 0 && std::isfinite(x.real)) return {};
  double real = std::sqrt(x.real);
  if (std::isfinite(real)) {
    FieldValue root = fieldFromReal(Elem::F32, real);
    if (sameField(fieldMultiply(root, root), x)) return root;
  }
  return uninterpreted(OpKind::Sqrt, real, x);
}
FieldValue reciprocalRoot(const FieldValue &x) {
  if (x.outer == 0 && x.real != 0 && std::isfinite(x.real)) return special(std::numeric_limits<double>::quiet_NaN());
  FieldValue value = inverted(squareRoot(x));
  return std::isfinite(value.real) ? withReal(value, 1 / std::sqrt(x.real)) : value;
}
FieldValue logarithm(const FieldValue &x) {
  if (sameField(x, one())) return {};
  return uninterpreted(OpKind::Log, std::log(x.real), x);
}

FieldValue raised(const FieldValue &x, const FieldValue &y) {
  double real = std::pow(x.real, y.real);
  constexpr double kMost = 64;
  bool whole =
      y.real == std::floor(y.real) && std::fabs(y.real) <= kMost &&
      sameField(y, fieldFromInteger(static_cast<int64_t>(std::isfinite(y.real) ? std::clamp(y.real, -kMost, kMost) : 0)));
  if (!whole || !std::isfinite(x.real)) {
    FieldValue key = x;
    key.outer = mix(x.outer) ^ y.outer;
    return uninterpreted(OpKind::PowF, real, key);
  }
  FieldValue value = one();
  for (int i = 0; i < static_cast<int>(std::fabs(y.real)); ++i) value = fieldMultiply(value, x);
  if (y.real < 0) value = inverted(value);
  return std::isfinite(value.real) ? withReal(value, real) : value;
}

// The integer that `f` rounds the real value of `x` to. Numbers of 9e18 or more, infinity and NaN have no field value.
FieldValue rounded(double (*f)(double), const FieldValue &x) {
  double whole = f(x.real);
  constexpr double kMost = 9e18;
  return std::fabs(whole) < kMost ? fieldFromInteger(static_cast<int64_t>(whole)) : special(whole);
}
FieldValue remainderOf(const FieldValue &a, const FieldValue &b) {
  FieldValue value = sub(a, fieldMultiply(b, rounded(std::trunc, div(a, b))));
  return std::isnan(value.real) ? value : withReal(value, std::fmod(a.real, b.real));
}

// Returns the operand that `pick`, a minimum or maximum, selects by the real values; or a NaN, which has no field value.
FieldValue picked(double (*pick)(double, double), const FieldValue &a, const FieldValue &b) {
  double real = pick(a.real, b.real);
  if (std::isnan(real)) return special(real);
  return real == a.real ? a : b;
}

// An op on floats, with the function that computes it if it has one or two operands. `fma`, the only op with three, is
// computed as a product and a sum.
struct FieldOp {
  OpKind kind;
  FieldValue (*unary)(const FieldValue &) = nullptr;
  FieldValue (*binary)(const FieldValue &, const FieldValue &) = nullptr;
};
using V = const FieldValue &;
constexpr FieldOp kFieldOps[] = {
    {OpKind::NegF, negated},
    {OpKind::AbsF, [](V x) { return std::signbit(x.real) ? negated(x) : x; }},
    {OpKind::Floor, [](V x) { return rounded(std::floor, x); }},
    {OpKind::Ceil, [](V x) { return rounded(std::ceil, x); }},
    {OpKind::Round, [](V x) { return rounded(std::round, x); }},
    {OpKind::RoundEven, [](V x) { return rounded(std::nearbyint, x); }},
    {OpKind::Trunc, [](V x) { return rounded(std::trunc, x); }},
    {OpKind::Exp, exponential},
    {OpKind::Exp2, [](V x) { return withReal(exponential(div(x, log2e())), std::exp2(x.real)); }},
    {OpKind::Expm1, [](V x) { return withReal(sub(exponential(x), one()), std::expm1(x.real)); }},
    {OpKind::Log, logarithm},
    {OpKind::Log2, [](V x) { return withReal(fieldMultiply(logarithm(x), log2e()), std::log2(x.real)); }},
    {OpKind::Log10, [](V x) { return withReal(fieldMultiply(logarithm(x), log10e()), std::log10(x.real)); }},
    {OpKind::Log1p, [](V x) { return withReal(logarithm(fieldAdd(x, one())), std::log1p(x.real)); }},
    {OpKind::Sqrt, squareRoot},
    {OpKind::Rsqrt, reciprocalRoot},
    {OpKind::Tanh, hyperbolicTangent},
    {OpKind::Sinh, hyperbolicSine},
    {OpKind::TruncF, [](V x) { return x; }},
    {OpKind::ExtF, [](V x) { return x; }},
    {OpKind::AddF, nullptr, fieldAdd},
    {OpKind::SubF, nullptr, sub},
    {OpKind::MulF, nullptr, fieldMultiply},
    {OpKind::DivF, nullptr, div},
    {OpKind::RemF, nullptr, remainderOf},
    {OpKind::MinimumF, nullptr, [](V a, V b) { return picked(floatMinimum, a, b); }},
    {OpKind::MaximumF, nullptr, [](V a, V b) { return picked(floatMaximum, a, b); }},
    {OpKind::MinNumF, nullptr, [](V a, V b) { return picked(floatMinNum, a, b); }},
    {OpKind::MaxNumF, nullptr, [](V a, V b) { return picked(floatMaxNum, a, b); }},
    {OpKind::PowF, nullptr, raised},
    {OpKind::Fma},
// The functions of the C library. Those without a row above have no properties but their symmetry.
#define XT_FUNCTION(kind, name, symmetry, ...) {OpKind::kind, [](V x) { return symmetry(OpKind::kind, std::name, x); }},
#define XT_FUNCTION2(...)
#include "ir/ops/functions.def"
#undef XT_FUNCTION
#undef XT_FUNCTION2
};
const FieldOp *findFieldOp(OpKind kind) {
  for (const FieldOp &op : kFieldOps)
    if (op.kind == kind) return &op;
  return nullptr;
}
} // namespace

bool isFieldOp(OpKind kind) { return findFieldOp(kind) != nullptr; }

FieldValue fieldApply(OpKind kind, std::span<const FieldValue> operands) {
  const FieldOp *op = findFieldOp(kind);
  XT_CHECK(op, "an op on floats");
  if (op->unary) return op->unary(operands[0]);
  if (op->binary) return op->binary(operands[0], operands[1]);
  return fieldAdd(fieldMultiply(operands[0], operands[1]), operands[2]);
}

} // namespace xt
