// Words of 4 bytes: two bf16, four bytes, or two bytes as 16-bit integers that are neighbours along K of a matrix product. One
// instruction multiplies two words and adds up the products.
//
// vpdpbf16ps and AMX treat denormals as 0, and flush denormal results to 0. A bf16 with the biased exponent e > 0 is a multiple
// of 2^(e - 134). If the least exponents of both factors add up to 142 or more, products and their rounded sums are multiples
// of 2^-126, so that none is denormal. Other products are computed by conversion, from the same words. An earlier sum is added
// afterwards, as it may be denormal.
#pragma once
#include "targets/llvm/register_ops.h"

namespace xt {

// A register of `lanes` words of type `word` (f32 or i32): word i consists of element i of each chunk, the first chunk in the
// lowest bits. Chunks are of `elem` in its storage form.
LlvmValue *sideBySide(llvm::IRBuilderBase &b, RegisterOps &ops, Elem elem, const LlvmValues &chunks, Elem word, int lanes);

// The same for chunks that are twice as wide, or four times if there are four. Returns as many registers, with fewer
// instructions each.
LlvmValues allSideBySide(llvm::IRBuilderBase &b, RegisterOps &ops, const LlvmValues &chunks, Elem word, int lanes);

// The bits of the least nonzero magnitude of the bf16 in a matrix, as i64; 0x10000, which is above all others, if all are 0. Of
// each of `rows` rows, `bytes` are read in whole registers of `lanes` words. The last register ends with the row; if a row is
// shorter, it begins before the row, in memory that must be accessible. With a `tail`, `bytes` is a whole number of registers,
// and of the last one only `tail` bf16 count.
struct WordMatrix {
  LlvmValue *base, *rows, *pitch, *bytes;
  int64_t tail = 0;
};
LlvmValue *leastMagnitude(llvm::IRBuilderBase &b, const WordMatrix &matrix, int lanes);

// The same for words in registers: the initial value, the value with one more register of words, and the final bits.
LlvmValue *leastOfNone(llvm::IRBuilderBase &b, int lanes);
LlvmValue *leastWith(llvm::IRBuilderBase &b, LlvmValue *least, LlvmValue *words);
LlvmValue *leastBits(llvm::IRBuilderBase &b, LlvmValue *least);
LlvmValue *isLeastBelow(llvm::IRBuilderBase &b, LlvmValue *least,
                        LlvmValue *bits); // leastBits < bits, where bits is 1 to 0x10000

// If one factor has the least magnitude `other`: the least magnitude that the other factor may have so that products, and all
// their sums, are 0 or normal.
LlvmValue *leastNormalPartner(llvm::IRBuilderBase &b, LlvmValue *other);

// Whether factors with these least magnitudes have such products and sums.
LlvmValue *areNormal(llvm::IRBuilderBase &b, LlvmValue *left, LlvmValue *right);

} // namespace xt
