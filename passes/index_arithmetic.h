// Arithmetic on values of type `index`, for passes that compute positions.
#pragma once
#include "ir/builder.h"

namespace xt {

// Returns the sum. Null stands for 0, as an operand and as the result; adding 0 creates no op.
Value *sumOf(Builder &builder, Value *x, Value *y);
Value *sumOf(Builder &builder, Value *x, int64_t constant);
// Returns x - constant; subtracting 0 creates no op.
Value *differenceOf(Builder &builder, Value *x, int64_t constant);
// `x`, or the constant 0 for null.
Value *orZero(Builder &builder, Value *x);
// The condition x == constant.
Value *isEqual(Builder &builder, Value *x, int64_t constant);

} // namespace xt
