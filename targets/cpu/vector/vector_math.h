// Mathematical functions of whole registers of f32, as inline code.
#pragma once
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/llvm/register_ops.h"

namespace xt {

// Returns RegisterTraits::function for a processor. It covers exp, exp2, expm1, log, log2, log10, tanh and erf of vectors of
// f32, returns null for everything else, and preserves subnormals, infinities and NaN. Errors are below kVectorMathUlps.
//
// Formulas: exp and related functions are 2^n e^r with |r| <= ln(2)/2 (Cody and Waite's reduction). With AVX-512, n in exp and
// exp2 is a multiple of 1/32, whose power comes from a table, and |r| <= ln(2)/64, for which r and its square are enough
// (within 1.8 units of the last place). log is n ln(2) + log(1 + f) with 1 + f within a factor sqrt(2) of 1, tanh is t / (t +
// 2) with t = expm1(2x), and erf is a polynomial up to 1 and 1 - exp(-p(x)) beyond. The polynomials are minimax fits in
// relative error (tests/targets/cpu/fit_functions.py).
FunctionCall vectorMathOf(const CpuInfo &cpu);

// The error of these functions, in units of the last place of an f32, measured by tests/targets/cpu/vector/vector_math_test.cc.
inline constexpr double kVectorMathUlps = 3.0;

} // namespace xt
