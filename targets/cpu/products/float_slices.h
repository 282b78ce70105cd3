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

// Returns the `count` slices of a register of f32, each as f32 whose lower 16 bits are 0.
LlvmValues floatSlices(llvm::IRBuilderBase &b, LlvmValue *floats, int count);
// Returns the floats from which the slices were made.
LlvmValue *floatOfSlices(llvm::IRBuilderBase &b, const LlvmValues &slices);
// Returns the upper 16 bits of each element of a slice, which are a bf16, as i16.
LlvmValue *upperHalves(llvm::IRBuilderBase &b, LlvmValue *slice);
// Returns pairs of the bf16 of two slices, each pair as the bits of an f32: the lower 16 bits come from `even`, the upper ones
// from `odd`.
LlvmValue *wordsOfSlices(llvm::IRBuilderBase &b, LlvmValue *even, LlvmValue *odd);

// The key of a float is an integer that orders floats by magnitude. The key of an infinity or NaN, which has no slices, is
// below all others. These functions find the least key of the floats seen so far, zeros excepted, in each lane (i32): keyOfNone
// is its value before the first float, keyWith updates it with a register of floats, and leastKey reduces the lanes to an i64.
LlvmValue *keyOfNone(llvm::IRBuilderBase &b, int lanes);
LlvmValue *keyWith(llvm::IRBuilderBase &b, LlvmValue *key, LlvmValue *floats);
LlvmValue *leastKey(llvm::IRBuilderBase &b, LlvmValue *key);
// Whether all floats have slices, and all products and sums of the slices are exact or normal, if these are the least keys of
// the left and of the right operand.
LlvmValue *haveSlices(llvm::IRBuilderBase &b, LlvmValue *left, LlvmValue *right);

} // namespace xt
