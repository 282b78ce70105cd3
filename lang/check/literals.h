// Literals of 2^63 and above, which only u64 holds. Bits of an Int in ConstValue::integer; its `elem`, where it is a literal:
//   Index  the value itself
//   U64    the value as a uint64_t, 2^63 or more
//   I64    the same, written in hexadecimal: 64 bits, which signed types take as two's complement
#pragma once
#include "lang/check/const_eval.h"

namespace xt {

bool isWideLiteral(const ConstValue &value); // U64
// Whether an integer type holds the value exactly; a float type rounds any number.
bool fitsType(Elem elem, const ConstValue &value);
double constNumber(const ConstValue &value); // of a number

} // namespace xt
