// Adds scopes of OpenCL.DebugInfo.100 to SPIR-V with OpLine instructions. Without scopes, Intel's compiler and llvm-spirv
// ignore the lines.
#pragma once
#include <llvm/IR/Module.h>

#include <string>

namespace xt {

// Returns the same SPIR-V with a scope for each function that has OpLine; `module` is the LLVM module that it was made from.
std::string withDebugScopes(const std::string &spirv, const llvm::Module &module);

} // namespace xt
