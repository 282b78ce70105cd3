// Marks on branches that all lanes of a subgroup take alike, for devices that ask for them (LaneDevice::marksUniformBranches).
#pragma once
#include <llvm/IR/Instructions.h>

namespace xt {

inline constexpr const char *kUniformBranch = "xt.uniform"; // the name of the metadata

inline void markUniform(llvm::BasicBlock &block) {
  block.getTerminator()->setMetadata(kUniformBranch, llvm::MDNode::get(block.getContext(), {}));
}
inline bool isUniform(const llvm::Instruction &branch) { return branch.getMetadata(kUniformBranch) != nullptr; }

} // namespace xt
