// Rewrites integer code that LLVM's SPIR-V back end or Intel's compiler would translate incorrectly.
#pragma once
#include <llvm/IR/Module.h>

namespace xt {

// Combines pairs of integer casts. LLVM 22 combines an integer cast with the cast before it, and makes mistakes if this takes
// a third operation: for vectors, the extension in between gets the type of one element, which no instruction accepts; for
// scalars, the truncation in between is dropped if it has the smallest width. Here each extension of a truncation, and each
// zero extension of a sign extension, becomes one cast with an equivalent mask or two shifts. Every other pair becomes one
// cast, so that LLVM finds nothing to combine.
void joinCasts(llvm::Module &module);

// Replaces comparisons of masks (vectors of i1) by comparisons of bytes. LLVM translates comparisons of masks into
// OpLogicalNotEqual and OpLogicalEqual, on which IGC 1.0.12504 fails with an assertion if they have vector operands. Scalars
// are left unchanged.
void compareMasksAsBytes(llvm::Module &module);

} // namespace xt
