#include "targets/soft/ordering_calls.h"

#include "targets/soft/runtime.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace xt::soft {
namespace {

namespace Intrinsic = llvm::Intrinsic;

bool orders(const llvm::Instruction &at) {
  if (llvm::isa<llvm::FenceInst>(at)) return true;
  const auto *call = llvm::dyn_cast<llvm::CallInst>(&at);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) { // NOLINT: of thousands, these order memory
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
  case Intrinsic::nvvm_barrier_cta_sync_aligned_count:
  case Intrinsic::nvvm_barrier_cta_arrive_aligned_count:
  case Intrinsic::nvvm_bar_warp_sync:
  case Intrinsic::nvvm_cp_async_wait_group: return true;
  default: return false;
  }
}

OrderingCall described(const llvm::Instruction &at) {
  OrderingCall call{at.getFunction()->getName().str(), "fence", at.getDebugLoc() ? at.getDebugLoc().getLine() : 0};
  if (const auto *called = llvm::dyn_cast<llvm::CallInst>(&at)) call.name = called->getCalledFunction()->getName().str();
  return call;
}

// Moves the instruction to a block of its own, which runs if the launch keeps it.
void guard(llvm::Instruction &at, uint32_t number) {
  llvm::IRBuilder<> builder(&at);
  llvm::FunctionCallee keeps = at.getModule()->getOrInsertFunction(
      kKeepsSymbol, llvm::FunctionType::get(builder.getInt1Ty(), {builder.getInt32Ty()}, false));
  llvm::Value *kept = builder.CreateCall(keeps, {builder.getInt32(number)});
  llvm::Instruction *end = llvm::SplitBlockAndInsertIfThen(kept, at.getIterator(), false);
  at.moveBefore(end->getIterator());
}

} // namespace

std::vector<OrderingCall> guardOrderingCalls(llvm::Module &module) {
  std::vector<llvm::Instruction *> found;
  for (llvm::Function &function : module)
    for (llvm::Instruction &each : llvm::instructions(function))
      if (orders(each)) found.push_back(&each);
  std::vector<OrderingCall> calls;
  for (llvm::Instruction *each : found) {
    guard(*each, static_cast<uint32_t>(calls.size()));
    calls.push_back(described(*each));
  }
  return calls;
}

} // namespace xt::soft
