// Mathematical functions of f64 as inline code, for one number or all numbers of a vector, on processors with an fma.
#pragma once
#include "ir/op.h"
#include "targets/llvm/loops.h"

namespace xt {

// Returns exp, exp2, expm1, log, log2, log10, log1p, sinh, tanh, atan or erf of an f64, or of each f64 of a vector; null for other ops.
// Preserves subnormals, infinities and NaN. Errors are below 3 units of the last place, but where the result is subnormal.
//
// Formulas: exp is 2^n e^r with |r| <= ln(2)/2 (Cody and Waite's reduction) and Taylor's series of e^r. log is n ln(2) + log(m) with
// m within a factor sqrt(2) of 1, and log(m) = 2 artanh((m - 1) / (m + 1)) by its series. log1p adds to log(1 + x) what 1 + x
// lost. sinh and tanh are (t + t / (t + 1)) / 2 and t / (t + 2) of t = expm1. atan is the series after two reductions: 1/x beyond
// 1, and (x - 1) / (x + 1) beyond tan(pi/8). erf is a polynomial up to 1 and 1 - exp(-p(x - 1)) beyond; these are minimax fits in
// relative error (tests/targets/llvm/fit_erf.py).
LlvmValue *doubleFunction(llvm::IRBuilderBase &builder, OpKind kind, LlvmValue *x);
bool hasDoubleFunction(OpKind kind); // whether the kind is one of these

} // namespace xt
