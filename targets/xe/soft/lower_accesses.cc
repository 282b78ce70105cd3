#include "targets/xe/soft/lower.h"
#include "targets/xe/soft/runtime.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace xt::soft {
namespace {

// One access of an instruction.
struct Access {
  llvm::Value *pointer = nullptr;
  llvm::Value *bytes = nullptr;
  llvm::Align alignment;
  AccessFlags::How how = AccessFlags::kLoad;
};

bool isShared(const llvm::Value *pointer) {
  unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space != kGlobalSpace && space != kLocalSpace && space != kGenericSpace) return false;
  const llvm::Value *object = llvm::getUnderlyingObject(pointer);
  return !llvm::isa<llvm::AllocaInst>(object) && !llvm::isa<llvm::GlobalVariable>(object);
}

void collect(llvm::Instruction &at, const llvm::DataLayout &layout, std::vector<Access> &accesses) {
  llvm::Type *size = llvm::Type::getInt64Ty(at.getContext());
  auto bytesOf = [&](llvm::Type *type) { return llvm::ConstantInt::get(size, layout.getTypeStoreSize(type).getFixedValue()); };
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&at))
    accesses.push_back({load->getPointerOperand(), bytesOf(load->getType()), load->getAlign(), AccessFlags::kLoad});
  else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&at))
    accesses.push_back({store->getPointerOperand(), bytesOf(store->getValueOperand()->getType()), store->getAlign(), AccessFlags::kStore});
  else if (auto *modify = llvm::dyn_cast<llvm::AtomicRMWInst>(&at))
    accesses.push_back({modify->getPointerOperand(), bytesOf(modify->getType()), modify->getAlign(), AccessFlags::kAtomic});
  else if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&at))
    accesses.push_back({exchange->getPointerOperand(), bytesOf(exchange->getNewValOperand()->getType()), exchange->getAlign(), AccessFlags::kAtomic});
  else if (auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&at)) {
    accesses.push_back({copy->getDest(), copy->getLength(), copy->getDestAlign().valueOrOne(), AccessFlags::kStore});
    if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy))
      accesses.push_back({transfer->getSource(), copy->getLength(), transfer->getSourceAlign().valueOrOne(), AccessFlags::kLoad});
  }
}

void check(LowerContext &context, llvm::Instruction &at, const Access &access) {
  llvm::IRBuilder<> builder(&at);
  llvm::FunctionCallee function = context.runtime(kAccessSymbol, builder.getVoidTy(),
                                                  {builder.getPtrTy(), builder.getInt64Ty(), builder.getInt32Ty(), builder.getInt32Ty()});
  unsigned space = access.pointer->getType()->getPointerAddressSpace();
  llvm::Value *pointer = builder.CreateAddrSpaceCast(access.pointer, builder.getPtrTy());
  llvm::Value *bytes = builder.CreateZExtOrTrunc(access.bytes, builder.getInt64Ty());
  auto flags = AccessFlags::make(llvm::Log2(access.alignment), access.how, space);
  auto site = static_cast<uint32_t>(context.site(at, ""));
  builder.CreateCall(function, {pointer, bytes, builder.getInt32(flags), builder.getInt32(site)});
}

} // namespace

void checkAccesses(LowerContext &context) {
  const llvm::DataLayout &layout = context.module.getDataLayout();
  for (llvm::Function &function : context.module) {
    std::vector<std::pair<llvm::Instruction *, Access>> found;
    for (llvm::Instruction &each : llvm::instructions(function)) {
      std::vector<Access> accesses;
      collect(each, layout, accesses);
      for (const Access &access : accesses)
        if (isShared(access.pointer)) found.emplace_back(&each, access);
    }
    for (auto &[at, access] : found) check(context, *at, access);
  }
}

// Where a branch goes back: others may run, and a launch that is given up ends.
void pauseInLoops(LowerContext &context) {
  for (llvm::Function &function : context.module) {
    if (function.isDeclaration()) continue;
    llvm::DominatorTree dominators(function);
    std::vector<llvm::BasicBlock *> latches;
    for (llvm::BasicBlock &block : function)
      for (llvm::BasicBlock *next : llvm::successors(&block))
        if (dominators.dominates(next, &block)) {
          latches.push_back(&block);
          break;
        }
    for (llvm::BasicBlock *latch : latches) {
      llvm::IRBuilder<> builder(latch->getTerminator());
      builder.CreateCall(context.runtime(kPauseSymbol, builder.getVoidTy(), {}));
    }
  }
}

} // namespace xt::soft
