// Arithmetic on single integers of an element type, for scalar_eval.h. Operands must be wrapped to the type (wrapTo); results
// are not wrapped. The functions for signed integers interpret operands by their type: iN and index as signed (a true i1 is
// -1), uN as unsigned.
#pragma once
#include "ir/elem.h"

#include <string_view>

namespace xt {

uint64_t unsignedBits(Elem elem, int64_t value); // zero extended
bool isNegative(Elem elem, int64_t value);
// The value as a signed 64-bit number: a true i1 is -1. A u64 of 2^63 or more becomes negative (modulo 2^64).
int64_t signedValue(Elem elem, int64_t value);

// The quotient and the remainder are 0 if the divisor is 0, and if the quotient overflows (the smallest number divided by -1).
int64_t divideSigned(Elem elem, int64_t a, int64_t b);
int64_t remainderSigned(Elem elem, int64_t a, int64_t b);
int64_t ceilDivideSigned(Elem elem, int64_t a, int64_t b);
int64_t ceilDivideUnsigned(Elem elem, int64_t a, int64_t b);
int64_t floorDivideSigned(Elem elem, int64_t a, int64_t b);
int64_t divideUnsigned(Elem elem, int64_t a, int64_t b);
int64_t remainderUnsigned(Elem elem, int64_t a, int64_t b);
// The amount is unsigned. An amount of the type's width or more shifts all bits out, which leaves 0 or, from a signed right
// shift, the sign.
int64_t shiftLeft(Elem elem, int64_t value, int64_t amount);
int64_t shiftRightSigned(Elem elem, int64_t value, int64_t amount);
int64_t shiftRightUnsigned(Elem elem, int64_t value, int64_t amount);

bool lessSigned(Elem elem, int64_t a, int64_t b);
bool lessUnsigned(Elem elem, int64_t a, int64_t b);

enum class IntCompare : uint8_t { Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge };
IntCompare intCompareFromName(std::string_view name);

} // namespace xt
