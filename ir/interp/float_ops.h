// Arithmetic on single floats that <cmath> does not provide, for scalar_eval.h and mma.h.
#pragma once
#include "ir/elem.h"

#include <string_view>

namespace xt {

// IEEE 754-2019 minimum, maximum (NaN if either operand is) and minimumNumber, maximumNumber (the other operand if one is NaN);
// -0 < +0.
double floatMinimum(double a, double b);
double floatMaximum(double a, double b);
double floatMinNum(double a, double b);
double floatMaxNum(double a, double b);

// a + b rounded to odd: the exact sum if f64 can represent it, else the neighbour whose last bit is 1. Rounding the result to a
// format of at most 51 bits is the same as rounding the exact sum (Boldo and Melquiond, "Emulation of a FMA and correctly
// rounded sums: proved algorithms using rounding to odd", 2008).
double addToOdd(double a, double b);
// a * b + c, rounded once to the type. Operands narrower than f64 have at most 24 bits.
double fusedMultiplyAdd(Elem elem, double a, double b, double c);

// Converts an integer to the nearest value of a float type, rounding once.
double intToFloat(Elem floatType, int64_t value);
double unsignedToFloat(Elem floatType, uint64_t value);
// Rounds towards zero, modulo 2^64; 0 for NaN, inf and values beyond 64 bits.
int64_t floatToInt(double value);

// The result of a kind of cmpf if the first operand is less than, equal to or greater than the second, or if either is NaN.
struct FloatCompare {
  bool less, equal, greater, unordered;
};
FloatCompare floatCompareFromName(std::string_view name);

} // namespace xt
