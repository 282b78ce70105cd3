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
  bool hasInner = true; // otherwise `inner` is 0
};

// Whether two elements represent the same number. Infinities equal themselves, and NaNs equal each other. A quotient by an
// algebraic zero is infinite where the real value of the divisor is 0, and NaN where it is a rounding error.
bool sameField(const FieldValue &a, const FieldValue &b);

// A literal, or an element of memory that the run has not computed. It stands for the decimal that was written, not for its
// rounded value: 0.1 in any type is one tenth. The decimal has the fewest digits that identify the value in its type, so
// 0.1000000001 is one tenth in f32 but not in f64. log2(e) and log10(e), rounded to f32 or to f64, are one number each.
FieldValue fieldFromReal(Elem elem, double value);
FieldValue fieldFromInteger(int64_t value);
// An input with no known algebraic property: an element drawn from `seed` and `index`; it keeps its real value.
FieldValue fieldUnknown(double real, uint64_t seed, uint64_t index);

FieldValue fieldAdd(const FieldValue &a, const FieldValue &b);
FieldValue fieldMultiply(const FieldValue &a, const FieldValue &b);

// An elementwise op from floats to a float. exp, exp2, expm1, tanh and sinh are computed by the homomorphism. sqrt, log, erf,
// sin and so on are uninterpreted functions: the only facts used are that equal arguments give equal results, that rsqrt is the
// inverse of sqrt, that log2 and log10 are multiples of log, and which functions are odd or even. Casts between floats change
// nothing.
bool isFieldOp(OpKind kind);
FieldValue fieldApply(OpKind kind, std::span<const FieldValue> operands);

// acc += sum of a[i * stepA] * b[i * stepB] for i < count.
void fieldDot(FieldValue &acc, const FieldValue *a, size_t stepA, const FieldValue *b, size_t stepB, size_t count);

} // namespace xt
