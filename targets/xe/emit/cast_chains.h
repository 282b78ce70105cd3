// What LLVM's SPIR-V back end and Intel's compiler get wrong in the integers of kernels, written in another way.
#pragma once
#include <llvm/IR/Module.h>

namespace xt {

// LLVM 22 joins a cast of an integer with the cast that made it, and goes wrong where that takes a third operation: of
// vectors the extension in between gets the type of one element, and no instruction fits it; of scalars the truncation
// in between is forgotten where the width in between is the least. Here each extension of a truncation becomes the
// mask or the two shifts that it is, and every other pair one cast, so that nothing is left to join.
void joinCasts(llvm::Module &module);

// LLVM makes OpLogicalNotEqual and OpLogicalEqual of what tells whether masks differ, and IGC 1.0.12504 ends with a failed
// assertion where those have vectors. Here they become comparisons of bytes. Scalars stay as they are.
void compareMasksAsBytes(llvm::Module &module);

} // namespace xt
