// The numbers of an algebraic run: an element of a finite field represents each float, so that sums and products are exact at
// any size and in any order. Two algebraically equal formulas give equal elements; two different formulas give equal elements
// with a probability of about their degree over 2^60 (Schwartz 1980, Zippel 1979).
//
// exp needs a homomorphism from sums to products. An element is therefore known modulo two primes: `outer`, and `inner` with
// outer = 2 * inner + 1. 4 has the order `inner` among the non-zero elements modulo `outer`, so that exp(x) = 4^(x mod inner)
// is well defined, and exp(x + y) = exp(x) * exp(y). The result of exp is known modulo `outer` only. (The same idea, with small
// primes: Wu et al., "Mirage: A Multi-Level Superoptimizer for Tensor Programs", 2024.)
//
// Each element also has a real value, computed in f64 and never rounded to a narrower type. It determines comparisons, minima
// and maxima, signs and roundings to integers, and whether a value is infinite or NaN.
#pragma once
#include "ir/elem.h"
#include "ir/op.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace xt {

struct FieldValue {
  static constexpr uint64_t kOuter = 2305843009213691579, kInner = 1152921504606845789; // about 2^61 and 2^60
  double real = 0;
  uint64_t outer = 0, inner = 0;
  bool hasInner = true; // whether the element is known modulo kInner; otherwise `inner` is 0
};

// Whether two elements represent the same number. Infinities of one sign are equal, and all NaNs are equal. (A quotient by an
// algebraic zero is infinite if the real value of the divisor is 0, and NaN if that value is a rounding error.)
bool sameField(const FieldValue &a, const FieldValue &b);

// The element for a literal, or for a number in memory that the run has not computed. It stands for the decimal that was
// written, not for its rounded value: 0.1 in any type is one tenth. The decimal has the fewest digits that identify the value
// in its type, so 0.1000000001 is one tenth in f32 but not in f64. Values of few significant bits, such as 2^-14, stand for
// themselves. log2(e) has one element, whether it is rounded to f32 or to f64, and so has log10(e).
FieldValue fieldFromReal(Elem elem, double value);
FieldValue fieldFromInteger(int64_t value);
// The element for an input without known algebraic properties: pseudorandom, determined by `seed` and `index`, with the real
// value `real`. 0, infinity and NaN stay what they are.
FieldValue fieldUnknown(double real, uint64_t seed, uint64_t index);

FieldValue fieldAdd(const FieldValue &a, const FieldValue &b);
FieldValue fieldMultiply(const FieldValue &a, const FieldValue &b);

// Whether the op is an elementwise op from floats to a float, which fieldApply computes.
//
// exp, exp2, expm1, tanh and sinh are computed by the homomorphism. sqrt, log, pow, erf, sin and so on are uninterpreted
// functions. The only facts used are that equal arguments give equal results, that the root of a number such as 64 is exact,
// that rsqrt is the inverse of sqrt, that log(1) is 0, that log2 and log10 are multiples of log, that log1p(x) is log(1 + x),
// that pow with a whole exponent of magnitude at most 64 is a repeated product, and which functions are odd or even. Casts
// between floats change nothing.
bool isFieldOp(OpKind kind);
FieldValue fieldApply(OpKind kind, std::span<const FieldValue> operands);

// Adds a[i * stepA] * b[i * stepB] to `acc` for each i < count.
void fieldDot(FieldValue &acc, const FieldValue *a, size_t stepA, const FieldValue *b, size_t stepB, size_t count);

} // namespace xt
