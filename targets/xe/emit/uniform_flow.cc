#include "targets/xe/emit/uniform_flow.h"

#include "targets/llvm/lane/uniform_branch.h"

#include <llvm/IR/CFG.h>

#include <vector>

namespace xt {
namespace {

bool mayDiverge(const llvm::BasicBlock *block) {
  const llvm::Instruction *end = block->getTerminator();
  return end->getNumSuccessors() > 1 && !isUniform(*end);
}

} // namespace

UniformFlow::UniformFlow(llvm::Function &function) : dominators_(function), postDominators_(function), loops_(dominators_) {
  for (const llvm::BasicBlock &block : function)
    if (mayDiverge(&block)) addPaths(&block);
}

// Adds the blocks on the paths from a branch to the block in which all of them meet.
void UniformFlow::addPaths(const llvm::BasicBlock *branch) {
  const llvm::DomTreeNodeBase<llvm::BasicBlock> *meeting = postDominators_.getNode(branch)->getIDom();
  const llvm::BasicBlock *end = meeting ? meeting->getBlock() : nullptr; // null: they meet at the end of the kernel
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> seen;
  std::vector<const llvm::BasicBlock *> open(llvm::succ_begin(branch), llvm::succ_end(branch));
  while (!open.empty()) {
    const llvm::BasicBlock *block = open.back();
    open.pop_back();
    if (block == end || !seen.insert(block).second) continue;
    divergent_.insert(block);
    open.insert(open.end(), llvm::succ_begin(block), llvm::succ_end(block));
  }
}

bool UniformFlow::isEnteredAlike(const llvm::BasicBlock *block) const {
  if (!isReachedByAll(block)) return false;
  for (const llvm::BasicBlock *before : llvm::predecessors(block))
    if (!isReachedByAll(before) || mayDiverge(before)) return false;
  return true;
}

bool UniformFlow::isInDeeperLoop(const llvm::BasicBlock *block, const llvm::BasicBlock *than) const {
  const llvm::Loop *loop = loops_.getLoopFor(block);
  return loop && !loop->contains(than);
}

llvm::BasicBlock *UniformFlow::behind(llvm::BasicBlock *own, llvm::BasicBlock *use) const {
  while (use != own && !(postDominators_.dominates(use, own) && isReachedByAll(use) && !isInDeeperLoop(use, own)))
    use = dominators_.getNode(use)->getIDom()->getBlock();
  return use;
}

} // namespace xt
