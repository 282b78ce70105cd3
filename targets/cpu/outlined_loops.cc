#include "targets/cpu/outlined_loops.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

namespace xt {
namespace {

llvm::SetVector<llvm::BasicBlock *> blocksOf(const LoopRegion &region) {
  llvm::SetVector<llvm::BasicBlock *> blocks;
  blocks.insert(region.entry);
  for (size_t i = 0; i < blocks.size(); ++i)
    for (llvm::BasicBlock *next : llvm::successors(blocks[i]))
      if (next != region.behind) blocks.insert(next);
  return blocks;
}

} // namespace

std::vector<llvm::Function *> outlineLoops(llvm::Function &kernel, llvm::ArrayRef<LoopRegion> regions) {
  std::vector<llvm::Function *> functions;
  for (const LoopRegion &region : regions) {
    llvm::CodeExtractorAnalysisCache analyses(kernel);
    llvm::CodeExtractor extractor(blocksOf(region).getArrayRef(), nullptr, /*AggregateArgs=*/true);
    XT_CHECK(extractor.isEligible(), "a loop that is no function");
    llvm::Function *function = extractor.extractCodeRegion(analyses);
    XT_CHECK(function, "a loop that is no function");
    function->setName(str(kLoopSymbol, functions.size(), ".", kernel.getName().str())); // kernels' begin otherwise
    functions.push_back(function);
  }
  return functions;
}

llvm::Function *moveFunction(llvm::Function &function, llvm::Module &to) {
  auto *left = llvm::Function::Create(function.getFunctionType(), llvm::Function::ExternalLinkage, "", function.getParent());
  left->copyAttributesFrom(&function);
  function.replaceAllUsesWith(left);
  left->takeName(&function);
  function.removeFromParent();
  to.getFunctionList().push_back(&function);
  function.setName(left->getName());
  function.setLinkage(llvm::Function::ExternalLinkage);
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      for (llvm::Use &use : instruction.operands()) {
        XT_CHECK(!llvm::isa<llvm::GlobalVariable>(use.get()), "variables belong to one module");
        if (auto *callee = llvm::dyn_cast<llvm::Function>(use.get()); callee && callee->getParent() != &to)
          use.set(to.getOrInsertFunction(callee->getName(), callee->getFunctionType(), callee->getAttributes()).getCallee());
      }
  return left;
}

} // namespace xt
