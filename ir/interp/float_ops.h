// Arithmetic on single floats that <cmath> does not provide, for scalar_eval.h and mma.h.
#pragma once
#include "ir/elem.h"

#include <string_view>

namespace xt {

// The functions minimum and maximum of IEEE 754-2019 (NaN if either operand is NaN), and minimumNumber and maximumNumber (the
// other operand if one is NaN). -0 is less than +0.
double floatMinimum(double a, double b);
double floatMaximum(double a, double b);
double floatMinNum(double a, double b);
double floatMaxNum(double a, double b);

// a + b rounded to odd: the exact sum if f64 can represent it, else the neighbour whose last bit is 1. Rounding the result to a
// format of at most 51 bits is the same as rounding the exact sum (Boldo and Melquiond, "Emulation of a FMA and correctly
// rounded sums: proved algorithms using rounding to odd", 2008).
double addToOdd(double a, double b);
// a * b + c, rounded once to the type. Operands of types narrower than f64 have at most 24 bits, so their product is exact in
// f64.
double fusedMultiplyAdd(Elem elem, double a, double b, double c);

// Converts an integer to the nearest value of a float type, rounding once.
double intToFloat(Elem floatType, int64_t value);
double unsignedToFloat(Elem floatType, uint64_t value);
// Rounds towards zero. From 2^63 to 2^64 the result is taken modulo 2^64; it is 0 for larger values, for values below -2^63,
// NaN and infinity.
int64_t floatToInt(double value);

// The result of a kind of cmpf if the first operand is less than, equal to or greater than the second, or if either is NaN.
struct FloatCompare {
  bool less, equal, greater, unordered;
};
FloatCompare floatCompareFromName(std::string_view name);

} // namespace xt
