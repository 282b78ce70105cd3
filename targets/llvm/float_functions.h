// Mathematical functions of f32 as inline code, for one number or all numbers of a vector.
#pragma once
#include "ir/op.h"
#include "targets/llvm/loops.h"

namespace xt {

// What a processor computes in one instruction: x * y + z; and x 2^n for vectors, and tables in registers (AVX-512).
struct FloatUnit {
  bool fuses = false, scales = false;
};

// Returns exp, exp2, expm1, log, log2, log10, tanh or erf of a f32, or of each f32 of a vector; null for other ops. Preserves
// subnormals, infinities and NaN. Errors are below kFloatFunctionUlps.
//
// Formulas: exp and related functions are 2^n e^r with |r| <= ln(2)/2 (Cody and Waite's reduction). With AVX-512, n in exp and
// exp2 is a multiple of 1/32, whose power comes from a table, and |r| <= ln(2)/64, for which r and its square are enough
// (within 1.8 units of the last place). log is n ln(2) + log(1 + f) with 1 + f within a factor sqrt(2) of 1, tanh is t / (t +
// 2) with t = expm1(2x), and erf is a polynomial up to 1 and 1 - exp(-p(x)) beyond. The polynomials are minimax fits in
// relative error (tests/targets/cpu/fit_functions.py).
LlvmValue *floatFunction(llvm::IRBuilderBase &builder, OpKind kind, LlvmValue *x, FloatUnit unit);

// The error of these functions, in units of the last place of an f32, measured by tests/targets/cpu/vector/vector_math_test.cc.
inline constexpr double kFloatFunctionUlps = 3.0;

} // namespace xt
