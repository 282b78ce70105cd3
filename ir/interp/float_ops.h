// Arithmetic on single floats that <cmath> lacks, for scalar_eval.h and mma.h.
#pragma once
#include "ir/elem.h"

#include <string_view>

namespace xt {

// IEEE 754-2019 minimum, maximum (NaN if either is) and minimumNumber, maximumNumber (the other if one is); -0 < +0.
double floatMinimum(double a, double b);
double floatMaximum(double a, double b);
double floatMinNum(double a, double b);
double floatMaxNum(double a, double b);

// a + b rounded to odd: the exact sum where f64 has it, else the neighbour whose last bit is 1. Rounding that to a
// format of at most 51 bits is the same as rounding the exact sum (Boldo and Melquiond, "Emulation of a FMA and
// correctly rounded sums: proved algorithms using rounding to odd", 2008).
double addToOdd(double a, double b);
// a * b + c, rounded once to the type. Operands narrower than f64 have at most 24 bits.
double fusedMultiplyAdd(Elem elem, double a, double b, double c);

// An integer as the nearest value of a float type, rounded once.
double intToFloat(Elem floatType, int64_t value);
double unsignedToFloat(Elem floatType, uint64_t value);
// Towards zero, modulo 2^64; 0 for NaN, inf and what lies beyond 64 bits.
int64_t floatToInt(double value);

// What a kind of cmpf gives where the first is less than, equal to or greater than the second, or either is NaN.
struct FloatCompare {
  bool less, equal, greater, unordered;
};
FloatCompare floatCompareFromName(std::string_view name);

} // namespace xt
