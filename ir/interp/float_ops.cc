#include "ir/interp/float_ops.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"

#include <bit>
#include <cmath>
#include <limits>

namespace xt {

double floatMinimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
double floatMaximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return a > b || (a == b && std::signbit(b)) ? a : b;
}
double floatMinNum(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : floatMinimum(a, b); }
double floatMaxNum(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : floatMaximum(a, b); }

double addToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  // Knuth's two-sum: sum + error is exactly a + b.
  double part = sum - a;
  double error = (a - (sum - part)) + (b - part);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1)) return sum;
  // The last bit is 0, so the last bit of the neighbour towards the exact sum is 1. The sum is not 0: sums near 0 are exact.
  bool awayFromZero = (error > 0) == (sum > 0);
  return std::bit_cast<double>(awayFromZero ? bits + 1 : bits - 1);
}

double fusedMultiplyAdd(Elem elem, double a, double b, double c) {
  if (elem == Elem::F64) return std::fma(a, b, c);
  return roundTo(elem, addToOdd(a * b, c));
}

// Beyond 2^53, the low 11 bits are replaced by a sticky last bit (rounding to odd), so that the following rounding sees on
// which side of a tie the integer is.
double intToFloat(Elem floatType, int64_t value) {
  if (floatType == Elem::F64) return static_cast<double>(value);
  int64_t high = (value >> 11) | ((value & 0x7FF) != 0);
  bool small = value >= -(int64_t{1} << 53) && value <= (int64_t{1} << 53);
  return roundTo(floatType, small ? static_cast<double>(value) : static_cast<double>(high) * 2048.0);
}
double unsignedToFloat(Elem floatType, uint64_t value) {
  if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return intToFloat(floatType, static_cast<int64_t>(value));
  if (floatType == Elem::F64) return static_cast<double>(value);
  return roundTo(floatType, static_cast<double>((value >> 11) | ((value & 0x7FF) != 0)) * 2048.0);
}

int64_t floatToInt(double value) {
  double whole = std::trunc(value);
  if (whole >= -0x1p63 && whole < 0x1p63) return static_cast<int64_t>(whole);
  if (whole >= 0x1p63 && whole < 0x1p64) return static_cast<int64_t>(static_cast<uint64_t>(whole));
  return 0;
}

// "olt": ordered and less; "ult": unordered or less.
FloatCompare floatCompareFromName(std::string_view name) {
  if (name == "false" || name == "true") return {name == "true", name == "true", name == "true", name == "true"};
  if (name == "ord" || name == "uno") return {name == "ord", name == "ord", name == "ord", name == "uno"};
  std::string_view relation = name.substr(1);
  bool less = relation[0] == 'l' || relation == "ne", greater = relation[0] == 'g' || relation == "ne";
  bool equal = relation == "eq" || relation == "le" || relation == "ge";
  XT_CHECK(less || greater || equal, "kind of cmpf");
  return {less, equal, greater, name[0] == 'u'};
}

} // namespace xt
