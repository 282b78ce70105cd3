// Powers of f64 as inline code, for one number or all numbers of a vector, on processors with an fma.
#pragma once
#include "targets/llvm/loops.h"

namespace xt {

// Returns x^y of two f64, or of each pair of f64 of two vectors, with the values of C's `pow` for zeros, infinities, NaN and negative
// x (ISO C, F.10.4.4). The error is below 2 units of the last place, but where the result is subnormal. If `single`, the code is
// shorter, x and y must be f32, and the relative error is below 2^-40 where the result is a finite f32.
//
// Formula: 2^(y log2(x)), with the logarithm and its product with y as sums of two numbers, so that the error of the exponent, whose
// magnitude is at most 1075, is below 2^-56: log2(x) = n + 2 log2(e) artanh(s) with s = (m - 1) / (m + 1) and m within a factor
// sqrt(2) of 1; of the series s + s^3 (1/3 + s^2 (1/5 + …)), all from 1/5 on is one number. If `single`, log2(x) is one number, by
// doubleFunction().
LlvmValue *powerFunction(llvm::IRBuilderBase &builder, LlvmValue *x, LlvmValue *y, bool single);

} // namespace xt
