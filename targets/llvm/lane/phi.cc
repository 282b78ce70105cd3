#include "targets/llvm/lane/phi.h"

namespace xt {

// A phi with a single incoming value would be folded to that value, so an unknown value is added until the loop is closed.
llvm::PHINode *openPhi(llvm::IRBuilderBase &b, LlvmValue *initial, llvm::BasicBlock *before, const llvm::Twine &name) {
  llvm::PHINode *phi = b.CreatePHI(initial->getType(), 2, name);
  phi->addIncoming(initial, before);
  auto *unknown = new llvm::FreezeInst(llvm::PoisonValue::get(initial->getType()), "", before->getTerminator()->getIterator());
  phi->addIncoming(unknown, before);
  return phi;
}

void closePhi(llvm::IRBuilderBase &b, LlvmValue *value, LlvmValue *next) {
  auto *phi = llvm::cast<llvm::PHINode>(value);
  auto *unknown = llvm::cast<llvm::FreezeInst>(phi->getIncomingValue(1));
  phi->setIncomingValue(1, next);
  phi->setIncomingBlock(1, b.GetInsertBlock());
  unknown->eraseFromParent();
}

} // namespace xt
