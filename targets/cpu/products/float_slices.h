// Splits an f32 into slices: bf16 values that add up to it, so that AMX can multiply them. Each slice holds 8 bits of the
// significand, the most significant slice first. The split is exact, and so are the products of two slices in f32. The products
// of all pairs of slices add up to the product of the floats.
//
// Magnitudes below 2^-103, infinities and NaNs cannot be split. Their first slice holds the upper half of their bits, the
// second slice the lower half, and other slices are 0. They are recognised by the exponent of the first slice, which is that of
// the float.
//
// AMX reads denormals as 0 and flushes denormal results to 0. A float with the biased exponent e is a multiple of 2^(e - 150),
// and so are its slices. If the least exponents of both factors add up to 174 or more, products of slices and their rounded
// sums are multiples of 2^-126, so none of them is denormal. A sum of products that are all -0 is +0, because AMX starts its
// sums at +0.
#pragma once
#include "targets/llvm/register_ops.h"

namespace xt {

// The slices of a register of f32, as f32 whose lower halves are 0.
LlvmValues floatSlices(llvm::IRBuilderBase &b, LlvmValue *floats, int count);
// The floats that the slices were made from.
LlvmValue *floatOfSlices(llvm::IRBuilderBase &b, const LlvmValues &slices);
// The upper halves of a slice: bf16, as i16.
LlvmValue *upperHalves(llvm::IRBuilderBase &b, LlvmValue *slice);
// Pairs of the bf16 of two slices, as f32: the lower halves come from `even`.
LlvmValue *wordsOfSlices(llvm::IRBuilderBase &b, LlvmValue *even, LlvmValue *odd);

// A key (i32) orders floats by magnitude: it is the key of the least magnitude among the floats seen, zeros excepted. An
// infinity or NaN, which has no slices, gives a key below all others. keyOfNone is the key before any float, keyWith adds a
// register of floats, and leastKey reduces the lanes to an i64.
LlvmValue *keyOfNone(llvm::IRBuilderBase &b, int lanes);
LlvmValue *keyWith(llvm::IRBuilderBase &b, LlvmValue *key, LlvmValue *floats);
LlvmValue *leastKey(llvm::IRBuilderBase &b, LlvmValue *key);
// Whether floats with these keys have slices, and products and sums of the slices are exact or normal.
LlvmValue *haveSlices(llvm::IRBuilderBase &b, LlvmValue *left, LlvmValue *right);

} // namespace xt
