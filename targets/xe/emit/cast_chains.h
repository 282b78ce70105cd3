// Casts of casts between integer types, written so that LLVM's SPIR-V back end makes valid code of them.
#pragma once
#include <llvm/IR/Module.h>

namespace xt {

// LLVM 22 joins a cast of an integer with the cast that made it, and goes wrong where that takes a third operation: of
// vectors the extension in between gets the type of one element, and no instruction fits it; of scalars the truncation
// in between is forgotten where the width in between is the least. Here each extension of a truncation becomes the
// mask or the two shifts that it is, and every other pair one cast, so that nothing is left to join.
void joinCasts(llvm::Module &module);

} // namespace xt
