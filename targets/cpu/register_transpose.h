#pragma once
#include "targets/llvm/loops.h"

namespace xt {

// Rows become columns: as many vectors of one type as each has elements, a power of two; n log n shuffles of two.
void transposeRegisters(llvm::IRBuilderBase &b, llvm::MutableArrayRef<LlvmValue *> rows);

// Element r: all elements of row r, combined two by two; two shuffles for each combination. Of n rows, a power of two, the
// result has n elements. As many rows as elements: those half a row apart come first.
LlvmValue *combineRows(llvm::IRBuilderBase &b, LlvmValues rows, llvm::function_ref<LlvmValue *(LlvmValue *, LlvmValue *)> combine);

} // namespace xt
