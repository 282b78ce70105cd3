// Rewrites integer code that LLVM's SPIR-V back end or Intel's compiler would translate incorrectly.
#pragma once
#include <llvm/IR/Module.h>

namespace xt {

// LLVM 22 joins an integer cast with the cast before it, and makes mistakes if that takes a third operation: for vectors, the
// extension in between gets the type of one element, which no instruction fits; for scalars, the truncation in between is
// dropped if its width is the least. Here each extension of a truncation becomes the equivalent mask or two shifts, and every
// other pair becomes one cast, so that nothing is left to join.
void joinCasts(llvm::Module &module);

// LLVM translates comparisons of masks into OpLogicalNotEqual and OpLogicalEqual, on which IGC 1.0.12504 fails with an
// assertion if they have vector operands. Here they become comparisons of bytes. Scalars are left unchanged.
void compareMasksAsBytes(llvm::Module &module);

} // namespace xt
