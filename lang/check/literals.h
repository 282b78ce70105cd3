// Integer literals of 2^63 and above, which only u64 holds. For an Int literal, ConstValue::integer holds 64 bits and
// ConstValue::elem tells how to interpret them:
//   Index  the signed value
//   U64    the value as a uint64_t, 2^63 or more
//   I64    a value of 2^63 or more that is written in hexadecimal: signed types take the bits as two's complement
#pragma once
#include "lang/check/const_eval.h"

namespace xt {

bool isWideLiteral(const ConstValue &value); // a literal with `elem` U64
// Whether an integer type holds the value exactly. Float types hold every number, since they round it.
bool fitsType(Elem elem, const ConstValue &value);
double constNumber(const ConstValue &value); // the value of an Int, Bool or Float

} // namespace xt
