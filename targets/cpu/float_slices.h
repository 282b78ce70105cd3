// Floats of f32 as sums of bf16, their slices, which AMX multiplies: of 8 bits of the significand each, the first ones first, so that
// they are exact, as are their products in f32. Products of all slices with all others, added up, are those of the floats.
//
// What is below 2^-103, infinite or no number has no such slices: the first one has its upper half then, the second one its lower half,
// and others are 0. The exponent of the first one, which is that of the float, says so.
//
// AMX takes numbers that are not normal as 0, and gives 0 for them. A float with the biased exponent e is a multiple of
// 2^(e - 150), and so are its slices. Where the least exponents of both factors add up to 174 or more, products of slices and
// whatever their sums are rounded to are multiples of 2^-126, so that none is such a number. Its sums of -0 start at +0, and are it.
#pragma once
#include "targets/llvm/register_ops.h"

namespace xt {

// Of which a register of f32 is the sum: slices of f32 whose lower halves are 0.
LlvmValues floatSlices(llvm::IRBuilderBase &b, LlvmValue *floats, int count);
// The floats again.
LlvmValue *floatOfSlices(llvm::IRBuilderBase &b, const LlvmValues &slices);
// The upper halves of a slice: bf16, as i16.
LlvmValue *upperHalves(llvm::IRBuilderBase &b, LlvmValue *slice);
// Words of the bf16 of two slices, as f32: those of `even` are the lower halves.
LlvmValue *wordsOfSlices(llvm::IRBuilderBase &b, LlvmValue *even, LlvmValue *odd);

// A key, i32, of the least magnitude but 0 of floats: larger ones of larger ones, the least of all if some have no slices because
// they are infinite or no numbers. At first, with a register of floats more, and in the end, as i64.
LlvmValue *keyOfNone(llvm::IRBuilderBase &b, int lanes);
LlvmValue *keyWith(llvm::IRBuilderBase &b, LlvmValue *key, LlvmValue *floats);
LlvmValue *leastKey(llvm::IRBuilderBase &b, LlvmValue *key);
// Whether floats with these keys have slices whose products and sums are exact or normal.
LlvmValue *haveSlices(llvm::IRBuilderBase &b, LlvmValue *left, LlvmValue *right);

} // namespace xt
