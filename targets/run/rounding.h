// The error that a kernel's rounding permits (lang/reference/tests_and_tolerances.md). All bounds are absolute and
// hold for |kernel's value - host's value|.
#pragma once
#include "ir/elem.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace xt {

// Half an ulp of the rounding type, relative. The host computes in f64: its own rounding error is a fraction of 2^-29
// of that of f32, and as large as the kernel's error where the kernel rounds in f64 too.
inline constexpr double kUnitF32 = 0x1p-24 * (1 + 0x1p-20);
inline constexpr double kUnitF64 = 2 * 0x1p-53;
// Absolute error of rounding in the subnormal range: half the smallest subnormal.
inline constexpr double kTinyF32 = 0x1p-150;
inline constexpr double kTinyF64 = 0x1p-1074;
// Integers of at most this magnitude are exact.
inline constexpr double kExactF32 = 0x1p24;
inline constexpr double kExactF64 = 0x1p53;

// The error of a sum of K terms is at most kLambda * sqrt(K) * u * sum|terms|, except with a probability of
// 2*exp(-kLambda^2/2) (Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput.
// 41(5), 2019).
inline constexpr double kLambda = 6;

// The precision in which the operations of an expression round.
struct RoundingType {
  double unit, tiny, exact;
};
constexpr RoundingType roundingType(bool wide) {
  return wide ? RoundingType{kUnitF64, kTinyF64, kExactF64} : RoundingType{kUnitF32, kTinyF32, kExactF32};
}

// The bound of an infinity or a NaN. It is 0 where the kernel has the same value whatever the errors of the operands
// are, and infinite where it may have another one.
inline double specialBound(bool certain) { return certain ? 0 : std::numeric_limits<double>::infinity(); }

// Whether x is nonzero even if it is off by `error`.
inline bool surelyNonzero(double x, double error) { return std::fabs(x) > error; }

// The bound after one correctly rounded operation with the host's result `value`, where `carried` is the bound that
// follows from the operands' errors. Exact operands whose result the type can represent need no rounding; in f64 the
// host cannot tell whether it has rounded itself, except for integers. Infinities and NaN are not rounded.
inline double roundedBound(double value, double carried, bool wide) {
  if (!std::isfinite(value) || std::isinf(carried)) return carried;
  if (wide) {
    bool exact = carried == 0 && std::fabs(value) <= kExactF64 && value == std::rint(value);
    return exact ? 0 : carried + kUnitF64 * (std::fabs(value) + carried) + kTinyF64;
  }
  bool exact = carried == 0 && static_cast<double>(static_cast<float>(value)) == value;
  return exact ? 0 : carried + kUnitF32 * (std::fabs(value) + carried) + kTinyF32;
}

// The bound of a function within 4 ulp; an ulp is at most 2u of the value.
inline double functionBound(double value, double carried, bool wide) {
  if (!std::isfinite(value) || std::isinf(carried)) return carried;
  RoundingType type = roundingType(wide);
  return carried + 8 * type.unit * (std::fabs(value) + carried) + 8 * type.tiny;
}

// The distance between adjacent values of a float type at a non-negative magnitude; beyond the largest finite value,
// the distance at that value.
inline double ulpAt(const ElemInfo &type, double magnitude) {
  int exponent = static_cast<int>(std::bit_cast<uint64_t>(magnitude) >> 52) - 1023;
  if (exponent < type.minExponent) exponent = type.minExponent;
  if (exponent > type.maxExponent) exponent = type.maxExponent;
  int place = exponent - type.precision + 1;
  return place >= -1022 ? std::bit_cast<double>(static_cast<uint64_t>(place + 1023) << 52) : std::ldexp(1.0, place);
}

// The error that rounding to a float type adds for values up to a magnitude, if the kernel rounds too: half an ulp for the
// host's rounding, plus the error of the kernel's. The kernel may round the value times a factor of at least 1 (attention
// rounds the weights before it divides by their sum), so its error is half an ulp relative to the value.
inline double castBound(const ElemInfo &type, double magnitude) {
  double half = ulpAt(type, magnitude) / 2;
  return half + std::fmax(half, std::ldexp(magnitude, -type.precision));
}

} // namespace xt
