// Phis of loops whose end has not been emitted yet.
#pragma once
#include "targets/llvm/loops.h"

namespace xt {

// Creates a phi in the current block, with the value from `before` and a placeholder for the value from the end of the loop.
llvm::PHINode *openPhi(llvm::IRBuilderBase &b, LlvmValue *initial, llvm::BasicBlock *before, const llvm::Twine &name = "");
// Replaces the placeholder by `next`, which comes from the current block.
void closePhi(llvm::IRBuilderBase &b, LlvmValue *phi, LlvmValue *next);

} // namespace xt
