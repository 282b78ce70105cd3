// Which blocks of a kernel all lanes of a subgroup reach together, from the branches that the lane emitter has marked
// (targets/llvm/lane/uniform_branch.h). Any other branch may separate them until all its paths have met again.
#pragma once
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>

namespace xt {

class UniformFlow {
public:
  // Valid as long as the blocks and branches of the function stay the same.
  explicit UniformFlow(llvm::Function &function);

  bool isReachedByAll(const llvm::BasicBlock *block) const { return !divergent_.contains(block); }
  // Whether all lanes come into the block together, and from the same block in front of it.
  bool isEnteredAlike(const llvm::BasicBlock *block) const;
  // Whether a block is in some loop in which another one is not.
  bool isInDeeperLoop(const llvm::BasicBlock *block, const llvm::BasicBlock *than) const;
  // The block at whose begin a value of the block `own` can be computed for uses in the block `use`: all lanes reach it together, and
  // it runs at most as often as `own`. It is `own` if there is no such block behind it.
  llvm::BasicBlock *behind(llvm::BasicBlock *own, llvm::BasicBlock *use) const;
  llvm::BasicBlock *commonDominator(llvm::BasicBlock *a, llvm::BasicBlock *b) const {
    return dominators_.findNearestCommonDominator(a, b);
  }
  const llvm::DominatorTree &dominators() const { return dominators_; }

private:
  void addPaths(const llvm::BasicBlock *branch);

  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree postDominators_;
  llvm::LoopInfo loops_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> divergent_;
};

} // namespace xt
