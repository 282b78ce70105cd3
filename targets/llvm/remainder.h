// Remainders of divisions of f32 and f64 as inline code, for one number or all numbers of a vector, on processors with an fma.
#pragma once
#include "targets/llvm/loops.h"

namespace xt {

// Returns x - trunc(x / y) y, exactly, of two f32 or f64, or of each pair of two vectors of them, with the values of C's `fmod` for
// zeros, infinities and NaN: the sign is that of x, and the remainder of infinity and that of a division by 0 are NaN.
//
// Formula: the remainder of a division by y 2^k, with k so that the quotient is an integer of fewer bits than a number has, is that of
// one fma, and its remainder by y is that of x. A loop does so until k is 0; only quotients of at least 2^51 (f32: 2^22) need
// more than one round.
LlvmValue *remainderFunction(llvm::IRBuilderBase &builder, LlvmValue *x, LlvmValue *y);

} // namespace xt
