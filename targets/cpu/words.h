// Words of 4 bytes: two bf16, four bytes or two bytes as numbers of 16 bits that are neighbours along K of a matrix product,
// which one instruction multiplies and adds up.
//
// vpdpbf16ps and AMX take numbers that are not normal as 0, and give 0 for them. A bf16 with the biased exponent e > 0 is a
// multiple of 2^(e - 134). Where the least exponents of both factors add up to 142 or more, products and whatever their sums
// are rounded to are multiples of 2^-126, so that none is such a number; other products are computed by conversion, from the
// same words. A sum that is there before is added behind, as it may be anything.
#pragma once
#include "targets/llvm/register_ops.h"

namespace xt {

// Registers of `lanes` words, as `word` (f32 or i32): of element i of each chunk, the first chunk's lowest. Chunks are of
// `elem` in its storage form.
LlvmValue *sideBySide(llvm::IRBuilderBase &b, RegisterOps &ops, Elem elem, const LlvmValues &chunks, Elem word, int lanes);

// The same of chunks that are twice as wide, or four times if there are four: as many registers, with fewer instructions for each.
LlvmValues allSideBySide(llvm::IRBuilderBase &b, RegisterOps &ops, const LlvmValues &chunks, Elem word, int lanes);

// Of the bf16 of a matrix the bits of the least magnitude but 0, as i64; 0x10000, above all, where all are 0. Of each of
// `rows` rows `bytes` are looked at, in whole registers of `lanes` words, the last of which ends with the row: of rows of
// fewer bytes it begins in front of them, in memory that has to be there. With a `tail`, `bytes` are whole registers, and of the
// last only `tail` bf16 count.
struct WordMatrix {
  LlvmValue *base, *rows, *pitch, *bytes;
  int64_t tail = 0;
};
LlvmValue *leastMagnitude(llvm::IRBuilderBase &b, const WordMatrix &matrix, int lanes);

// The same, of words that are at hand: at first, with a register of them more, and in the end.
LlvmValue *leastOfNone(llvm::IRBuilderBase &b, int lanes);
LlvmValue *leastWith(llvm::IRBuilderBase &b, LlvmValue *least, LlvmValue *words);
LlvmValue *leastBits(llvm::IRBuilderBase &b, LlvmValue *least);
LlvmValue *isLeastBelow(llvm::IRBuilderBase &b, LlvmValue *least, LlvmValue *bits); // leastBits < bits, which are 1 to 0x10000

// Of factors of what has the least magnitude `other`: the least that these may have so that products, and all sums of them, are 0 or
// normal.
LlvmValue *leastBeside(llvm::IRBuilderBase &b, LlvmValue *other);

// Whether that holds.
LlvmValue *areNormal(llvm::IRBuilderBase &b, LlvmValue *left, LlvmValue *right);

} // namespace xt
