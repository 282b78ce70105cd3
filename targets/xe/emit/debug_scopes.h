// The scopes of OpenCL.DebugInfo.100 around OpLine, without which Intel's compiler and llvm-spirv pass over the lines.
#pragma once
#include <llvm/IR/Module.h>

#include <string>

namespace xt {

// The same SPIR-V with a scope for each function that has OpLine; `module` is what it was made from.
std::string withDebugScopes(const std::string &spirv, const llvm::Module &module);

} // namespace xt
