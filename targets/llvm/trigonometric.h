// sin and cos of f64 as inline code, for one number or all numbers of a vector, on processors with an fma.
#pragma once
#include "ir/op.h"
#include "targets/llvm/loops.h"

namespace xt {

// Returns sin or cos of an f64, or of each f64 of a vector; null for other ops. Of infinities and NaN it is NaN; sin preserves the sign
// of zero. The error is below 1 unit of the last place for all numbers. If `single`, the code is shorter, x must be an f32, and the
// relative error is below 2^-31, unless the result is 0.
//
// Formulas: x = n pi/2 + r with |r| <= pi/4 and r as the sum of two numbers; then the series of sin(r) or cos(r), as n says. Below 2^30,
// pi/2 is the sum of three numbers (Cody and Waite's reduction): x less n times the first is exact. Beyond, reducedAngle()
// (targets/llvm/reduced_angle.h) computes n and r; a branch skips it where no number of the vector needs it.
LlvmValue *trigonometricFunction(llvm::IRBuilderBase &builder, OpKind kind, LlvmValue *x, bool single);
bool isTrigonometric(OpKind kind); // whether it is sin or cos

} // namespace xt
