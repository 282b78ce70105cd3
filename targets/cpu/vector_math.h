// Mathematical functions of whole registers of f32, as inline code.
#pragma once
#include "targets/cpu/cpu_info.h"
#include "targets/llvm/register_ops.h"

namespace xt {

// RegisterTraits::function for a processor. It covers exp, exp2, expm1, log, log2, log10, tanh and erf of vectors of f32,
// gives null for all else, and keeps subnormals, infinities and NaN. Errors are below kVectorMathUlps.
//
// Formulas: exp and its kin are 2^n e^r with |r| <= ln(2)/2 (Cody and Waite's reduction); with AVX-512 exp and exp2 have n in
// parts of 1/32, whose powers are looked up, and |r| <= ln(2)/64, of which r and its square are enough (within 1.8 units of the last
// place). log is n ln(2) + log(1 + f) with 1 + f within a factor sqrt(2) of 1, tanh is t / (t + 2) with t = expm1(2x), and erf a
// polynomial up to 1 and 1 - exp(-p(x)) beyond. The polynomials are minimax fits in relative error,
// tests/targets/cpu/fit_functions.py.
FunctionCall vectorMathOf(const CpuInfo &cpu);

// Of the functions above, in units of the last place of an f32: found by tests/targets/cpu/vector_math_test.cc.
inline constexpr double kVectorMathUlps = 3.0;

} // namespace xt
