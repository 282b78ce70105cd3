#include "targets/soft/lower.h"
#include "targets/soft/runtime.h"

#include "ir/base/text.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>

namespace xt::soft {
namespace {

// A read of shared local memory that a polling loop performs.
struct Read {
  llvm::Instruction *at = nullptr;
  llvm::Value *pointer = nullptr;
  uint64_t bytes = 0;
};

bool isLocal(const llvm::Value *pointer) { return pointer->getType()->getPointerAddressSpace() == kLocalSpace; }

// Whether calls of a function write no memory, and return the same value whenever the arguments are the same.
bool changesNothing(std::string_view name) {
  constexpr std::string_view kNames[] = {"__spirv_ControlBarrier",
                                         "__spirv_MemoryBarrier",
                                         "barrier",
                                         "work_group_barrier",
                                         "sub_group_barrier",
                                         "mem_fence",
                                         "read_mem_fence",
                                         "write_mem_fence",
                                         "atomic_work_item_fence",
                                         kFenceSymbol,
                                         kKeepsSymbol};
  constexpr std::string_view kFamilies[] = {"__spirv_SubgroupShuffle", "__spirv_GroupNonUniform", "__spirv_GroupAll",
                                            "__spirv_GroupAny",        "__spirv_GroupBroadcast",  "intel_sub_group_shuffle"};
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kFamilies, [&](std::string_view family) { return name.starts_with(family); });
}

// Whether an instruction of a loop has the same effect in each iteration as long as shared local memory does not change. Adds
// its read of shared local memory, if there is one, to `reads`.
bool repeats(llvm::Instruction &at, const llvm::DataLayout &layout, std::vector<Read> &reads) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&at)) {
    if (!isLocal(load->getPointerOperand())) return false;
    reads.push_back({load, load->getPointerOperand(), layout.getTypeStoreSize(load->getType()).getFixedValue()});
    return true;
  }
  auto *call = llvm::dyn_cast<llvm::CallInst>(&at);
  if (!call || call->doesNotAccessMemory()) return !at.mayReadOrWriteMemory();
  const llvm::Function *callee = call->getCalledFunction();
  if (!callee || !callee->isDeclaration()) return false;
  std::string name = builtinName(callee->getName()).name;
  if (name != "__spirv_AtomicLoad") return changesNothing(name);
  if (!isLocal(call->getArgOperand(0))) return false;
  reads.push_back({call, call->getArgOperand(0), layout.getTypeStoreSize(call->getType()).getFixedValue()});
  return true;
}

// The reads of a loop that only waits for a change in shared local memory; empty for any other loop.
std::vector<Read> polledBy(const llvm::Loop &loop, const llvm::DataLayout &layout) {
  std::vector<Read> reads;
  if (!loop.getSubLoops().empty() || !loop.getHeader()->phis().empty()) return {};
  for (llvm::BasicBlock *block : loop.blocks())
    for (llvm::Instruction &each : *block)
      if (!repeats(each, layout, reads)) return {};
  return reads;
}

// Calls the run-time library before the loop, in each iteration, and after it.
void watch(LowerContext &context, llvm::Loop &loop, const std::vector<Read> &reads, llvm::DominatorTree &dominators,
           llvm::LoopInfo &loops) {
  llvm::BasicBlock *before = llvm::InsertPreheaderForLoop(&loop, &dominators, &loops, nullptr, false);
  if (!before) return;
  llvm::IRBuilder<> builder(before->getTerminator());
  builder.CreateCall(context.runtime(kEnterPollSymbol, builder.getVoidTy(), {}));
  llvm::SmallVector<llvm::BasicBlock *, 4> exits, latches;
  loop.getUniqueExitBlocks(exits);
  for (llvm::BasicBlock *exit : exits) {
    builder.SetInsertPoint(exit, exit->getFirstInsertionPt());
    builder.CreateCall(context.runtime(kLeavePollSymbol, builder.getVoidTy(), {}));
  }
  std::string name = loop.getHeader()->getName().str();
  int32_t site = context.site(*loop.getHeader()->getTerminator(), "");
  std::string &place = context.program.sites.back().place;
  if (place.empty() && !name.empty()) place = str(" in the loop `", name, "`");
  loop.getLoopLatches(latches);
  for (llvm::BasicBlock *latch : latches) {
    builder.SetInsertPoint(latch->getTerminator());
    llvm::Value *pointer = llvm::ConstantPointerNull::get(builder.getPtrTy());
    uint64_t bytes = 0;
    for (const Read &read : reads)
      if (!bytes && dominators.dominates(read.at, latch->getTerminator()))
        pointer = builder.CreateAddrSpaceCast(read.pointer, builder.getPtrTy()), bytes = read.bytes;
    builder.CreateCall(
        context.runtime(kPollSymbol, builder.getVoidTy(), {builder.getPtrTy(), builder.getInt64Ty(), builder.getInt32Ty()}),
        {pointer, builder.getInt64(bytes), builder.getInt32(static_cast<uint32_t>(site))});
  }
}

} // namespace

void watchPolling(LowerContext &context) {
  const llvm::DataLayout &layout = context.module.getDataLayout();
  for (llvm::Function &function : context.module) {
    if (function.isDeclaration()) continue;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    for (llvm::Loop *loop : loops.getLoopsInPreorder())
      if (std::vector<Read> reads = polledBy(*loop, layout); !reads.empty()) watch(context, *loop, reads, dominators, loops);
  }
}

} // namespace xt::soft
