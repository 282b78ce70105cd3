// Integers of 2^63 and above, which only u64 holds. A value of type u64 has its bits in ConstValue::integer. For an Int
// literal, ConstValue::integer holds 64 bits and ConstValue::elem tells how to interpret them:
//   Index  the signed value
//   U64    the value as a uint64_t, 2^63 or more
//   I64    a value of 2^63 or more that is written in hexadecimal: signed types take the bits as two's complement
#pragma once
#include "lang/check/const_eval.h"

namespace xt {

bool isWide(const ConstValue &value); // 2^63 or more: a literal with `elem` U64, or a value of type u64
bool isWideHex(const ConstValue &value); // 2^63 or more if unsigned: a literal with `elem` I64
// Whether an integer type holds the value exactly. Float types hold every number, since they round it.
bool fitsType(Elem elem, const ConstValue &value);
double constNumber(const ConstValue &value); // the value of an Int, Bool or Float
// Warns if a number becomes infinite or NaN when it is rounded to a float type.
void warnIfInfinite(Diagnostics &diagnostics, Elem floatType, const ConstValue &value, SourceRange range);

} // namespace xt
