#pragma once
#include "targets/llvm/loops.h"

namespace xt {

// Rows become columns: as many vectors of one type as each has elements, a power of two; n log n shuffles of two.
void transposeRegisters(llvm::IRBuilderBase &b, llvm::MutableArrayRef<LlvmValue *> rows);

} // namespace xt
