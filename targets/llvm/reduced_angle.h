// The reduction of large angles.
#pragma once
#include <llvm/IR/IRBuilder.h>

namespace xt {

// The function `{i64 n, double high, double low} xt_reduced_angle(double x)` of the module that `builder` is in, which this defines if
// it is not there: x = n pi/2 + high + low (modulo 2 pi), with |high + low| <= pi/4, for all numbers with 2^30 <= |x|. Of n, only the
// two lowest bits count. The relative error of high + low is below 2^-62. What it returns for infinities and NaN means nothing.
//
// Formula: x 2/pi modulo 4 is the integer significand of x times 192 bits of 2/pi, from a table, from the first bit on whose
// product is not a multiple of 4 (M. Payne and R. Hanek, Radian reduction for trigonometric functions, SIGNUM Newsletter 18(1), 1983).
// No f64 is closer than 2^-62 to a multiple of pi/2 (J.-M. Muller, Elementary functions, section 11.3.2).
llvm::Function *reducedAngle(llvm::IRBuilderBase &builder);

} // namespace xt
