// Arithmetic on single integers of an element type, for scalar_eval.h. Operands are wrapped to the type, results are not yet.
// "Signed" means by the signedness of the type (iN and index; a true i1 is -1), so uN are treated as unsigned.
#pragma once
#include "ir/elem.h"

#include <string_view>

namespace xt {

uint64_t unsignedBits(Elem elem, int64_t value); // zero extended
bool isNegative(Elem elem, int64_t value);
// The value modulo 2^64: a true i1 gives -1.
int64_t signedValue(Elem elem, int64_t value);

// A zero divisor, and the one quotient that overflows, give 0 (also as the remainder).
int64_t divideSigned(Elem elem, int64_t a, int64_t b);
int64_t remainderSigned(Elem elem, int64_t a, int64_t b);
int64_t ceilDivideSigned(Elem elem, int64_t a, int64_t b);
int64_t ceilDivideUnsigned(Elem elem, int64_t a, int64_t b);
int64_t floorDivideSigned(Elem elem, int64_t a, int64_t b);
int64_t divideUnsigned(Elem elem, int64_t a, int64_t b);
int64_t remainderUnsigned(Elem elem, int64_t a, int64_t b);
// The amount is unsigned; amounts of the type's width or more shift all bits out.
int64_t shiftLeft(Elem elem, int64_t value, int64_t amount);
int64_t shiftRightSigned(Elem elem, int64_t value, int64_t amount);
int64_t shiftRightUnsigned(Elem elem, int64_t value, int64_t amount);

bool lessSigned(Elem elem, int64_t a, int64_t b);
bool lessUnsigned(Elem elem, int64_t a, int64_t b);

enum class IntCompare : uint8_t { Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge };
IntCompare intCompareFromName(std::string_view name);

} // namespace xt
