// Words of 4 bytes: two bf16, four bytes, or two bytes as 16-bit integers that are adjacent along K of a matrix product. One
// instruction multiplies two words and adds up the products.
//
// vpdpbf16ps and AMX treat denormals as 0, and flush denormal results to 0. A bf16 with the biased exponent e > 0 is a multiple
// of 2^(e - 134). If the least exponents of both factors add up to 142 or more, products and their rounded sums are multiples
// of 2^-126, so that none is denormal. Other products are computed by conversion, from the same words. An earlier sum is added
// afterwards, as it may be denormal.
#pragma once
#include "targets/llvm/register_ops.h"

namespace xt {

// Returns a register of `lanes` words of type `word` (f32 or i32): word i consists of element i of each chunk, the first chunk
// in the lowest bits. The elements of the chunks have type `elem`, in its storage form.
LlvmValue *sideBySide(llvm::IRBuilderBase &b, RegisterOps &ops, Elem elem, const LlvmValues &chunks, Elem word, int lanes);

// Like sideBySide(), for chunks of 2 * `lanes` elements or, if there are four chunks, also of 4 * `lanes`. Returns a register
// for each `lanes` elements of a chunk, with fewer instructions per register.
LlvmValues allSideBySide(llvm::IRBuilderBase &b, RegisterOps &ops, const LlvmValues &chunks, Elem word, int lanes);

// Returns the bits of the least nonzero magnitude of the bf16 in a matrix, as i64; 0x10000, which is above all others, if all
// are 0. In each of the `rows` rows, `bytes` bytes are read in whole registers of `lanes` words. The last register ends where
// the row ends; if the row is shorter than a register, the register begins before the row, in memory that must be accessible.
// If `tail` is not 0, `bytes` is a whole number of registers, and only the first `tail` bf16 of the last register count.
struct WordMatrix {
  LlvmValue *base, *rows, *pitch, *bytes;
  int64_t tail = 0;
};
LlvmValue *leastMagnitude(llvm::IRBuilderBase &b, const WordMatrix &matrix, int lanes);

// These functions compute the least magnitude of words in registers: the initial value, the value with one more register of
// words, and the final bits.
LlvmValue *leastOfNone(llvm::IRBuilderBase &b, int lanes);
LlvmValue *leastWith(llvm::IRBuilderBase &b, LlvmValue *least, LlvmValue *words);
LlvmValue *leastBits(llvm::IRBuilderBase &b, LlvmValue *least);
// Whether leastBits(least) < bits, where bits is 1 to 0x10000.
LlvmValue *isLeastBelow(llvm::IRBuilderBase &b, LlvmValue *least, LlvmValue *bits);

// Returns the least magnitude that one factor may have if the other factor has the least magnitude `other`, so that all
// products and all their sums are 0 or normal.
LlvmValue *leastNormalPartner(llvm::IRBuilderBase &b, LlvmValue *other);

// Whether all products of factors with these least magnitudes, and all their sums, are 0 or normal.
LlvmValue *areNormal(llvm::IRBuilderBase &b, LlvmValue *left, LlvmValue *right);

} // namespace xt
