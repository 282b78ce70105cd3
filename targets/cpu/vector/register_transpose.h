#pragma once
#include "targets/llvm/loops.h"

namespace xt {

// Transposes a square of registers: as many vectors of one type as each has elements, a power of two. For n vectors it takes n
// log n shuffles of two registers.
void transposeRegisters(llvm::IRBuilderBase &b, llvm::MutableArrayRef<LlvmValue *> rows);

// Returns a register whose element r is the combination of all elements of row r. Rows are combined pairwise, with two shuffles
// per pair. For n rows, a power of two, the result has n elements. If there are as many rows as elements, elements half a row
// apart are combined first.
LlvmValue *combineRows(llvm::IRBuilderBase &b, LlvmValues rows,
                       llvm::function_ref<LlvmValue *(LlvmValue *, LlvmValue *)> combine);

} // namespace xt
