// Metadata on branches whose condition is the same in all lanes of a subgroup. Only for devices that need it
// (LaneDevice::marksUniformBranches).
#pragma once
#include <llvm/IR/Instructions.h>

namespace xt {

inline constexpr const char *kUniformBranch = "xt.uniform"; // the name of the metadata

inline void markUniform(llvm::BasicBlock &block) {
  block.getTerminator()->setMetadata(kUniformBranch, llvm::MDNode::get(block.getContext(), {}));
}
inline bool isUniform(const llvm::Instruction &branch) { return branch.getMetadata(kUniformBranch) != nullptr; }

} // namespace xt
