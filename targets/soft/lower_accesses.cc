#include "targets/soft/lower.h"
#include "targets/soft/runtime.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>

namespace xt::soft {
namespace {

constexpr uint64_t kPauseEvery = 1024; // in loop iterations

// A memory access that an instruction makes.
struct Access {
  llvm::Value *pointer = nullptr;
  llvm::Value *bytes = nullptr;
  llvm::Align alignment;
  AccessFlags::How how = AccessFlags::kLoad;
  llvm::AtomicOrdering order = llvm::AtomicOrdering::NotAtomic;
  llvm::AtomicCmpXchgInst *exchange = nullptr; // the instruction, if it compares and exchanges 32 bits; else null
  bool isAtomic() const { return order != llvm::AtomicOrdering::NotAtomic; }
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
    accesses.push_back(
        {load->getPointerOperand(), bytesOf(load->getType()), load->getAlign(), AccessFlags::kLoad, load->getOrdering()});
  else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&at))
    accesses.push_back({store->getPointerOperand(), bytesOf(store->getValueOperand()->getType()), store->getAlign(),
                        AccessFlags::kStore, store->getOrdering()});
  else if (auto *modify = llvm::dyn_cast<llvm::AtomicRMWInst>(&at))
    accesses.push_back({modify->getPointerOperand(), bytesOf(modify->getType()), modify->getAlign(), AccessFlags::kAtomic,
                        modify->getOrdering()});
  else if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&at))
    accesses.push_back({exchange->getPointerOperand(), bytesOf(exchange->getNewValOperand()->getType()), exchange->getAlign(),
                        AccessFlags::kAtomic, exchange->getMergedOrdering(),
                        exchange->getNewValOperand()->getType()->isIntegerTy(32) ? exchange : nullptr});
  else if (auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&at)) {
    accesses.push_back({copy->getDest(), copy->getLength(), copy->getDestAlign().valueOrOne(), AccessFlags::kStore});
    if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy))
      accesses.push_back(
          {transfer->getSource(), copy->getLength(), transfer->getSourceAlign().valueOrOne(), AccessFlags::kLoad});
  }
}

// Emits a call at the entry of `function` that returns the CodeState of the workgroup. The call counts as one that accesses no
// memory, because the address never changes for a work-item.
llvm::Value *codeState(LowerContext &context, llvm::Function &function) {
  llvm::IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::FunctionCallee state = context.runtime(kStateSymbol, builder.getPtrTy(), {});
  auto *declared = llvm::cast<llvm::Function>(state.getCallee());
  declared->setDoesNotAccessMemory();
  declared->setWillReturn();
  return builder.CreateCall(state);
}

// Returns an insertion point before `at`, in a new block that runs only if `condition` holds.
llvm::Instruction *onlyIf(llvm::Value *condition, llvm::Instruction &at) {
  llvm::MDNode *seldom = llvm::MDBuilder(at.getContext()).createUnlikelyBranchWeights();
  return llvm::SplitBlockAndInsertIfThen(condition, at.getIterator(), false, seldom);
}

// The variable in shared local memory from which a pointer is computed: its address and its number. The address is null if the
// variable is unknown.
std::pair<llvm::Value *, size_t> variableOf(const LowerContext &context, llvm::Value *pointer) {
  while (true) {
    if (auto found = context.localAddresses.find(pointer); found != context.localAddresses.end())
      return {pointer, found->second};
    auto *from = llvm::dyn_cast<llvm::Operator>(pointer);
    if (!from || !(llvm::isa<llvm::GEPOperator>(from) || llvm::isa<llvm::BitCastOperator>(from) ||
                   llvm::isa<llvm::AddrSpaceCastOperator>(from)))
      return {nullptr, 0};
    pointer = from->getOperand(0);
  }
}

// How many bytes one instruction of a GPU loads or stores of an access: a power of two, up to 16, by which the address and the size are
// divisible. 0 if the size is not known.
uint32_t pieceOf(const Access &access) {
  constexpr uint64_t kMost = 16;
  auto *bytes = llvm::dyn_cast<llvm::ConstantInt>(access.bytes);
  if (!bytes || bytes->isZero()) return 0;
  uint64_t divisor = uint64_t{1} << llvm::countr_zero(bytes->getZExtValue());
  return static_cast<uint32_t>(std::min({kMost, divisor, access.alignment.value()}));
}

// The bits that an exchange changes if it succeeds.
llvm::Value *changedBits(llvm::IRBuilder<> &builder, const Access &access) {
  return builder.CreateXor(access.exchange->getCompareOperand(), access.exchange->getNewValOperand());
}

// Emits a call that watches the access.
void watch(LowerContext &context, llvm::IRBuilder<> &builder, llvm::Value *pointer, llvm::Value *bytes, const Access &access,
           uint32_t site) {
  uint32_t flags = access.how == AccessFlags::kLoad    ? WatchFlags::kReads
                   : access.how == AccessFlags::kStore ? WatchFlags::kWrites
                                                       : WatchFlags::kReads | WatchFlags::kWrites;
  if (access.isAtomic()) flags |= WatchFlags::kAtomic;
  if (llvm::isAcquireOrStronger(access.order)) flags |= WatchFlags::kAcquires;
  if (llvm::isReleaseOrStronger(access.order)) flags |= WatchFlags::kReleases;
  if (access.pointer->getType()->getPointerAddressSpace() == kLocalSpace) flags |= WatchFlags::kLocal;
  llvm::Type *word = builder.getInt32Ty();
  if (access.exchange) {
    llvm::FunctionCallee exchange =
        context.runtime(kWatchExchangeSymbol, builder.getVoidTy(), {builder.getPtrTy(), word, word, word});
    builder.CreateCall(exchange, {pointer, changedBits(builder, access), builder.getInt32(flags), builder.getInt32(site)});
    return;
  }
  llvm::FunctionCallee watch =
      context.runtime(kWatchSymbol, builder.getVoidTy(), {builder.getPtrTy(), builder.getInt64Ty(), word, word, word});
  builder.CreateCall(watch,
                     {pointer, bytes, builder.getInt32(flags), builder.getInt32(pieceOf(access)), builder.getInt32(site)});
}

// Emits an inline check that the access is aligned, and inside of its variable or of the memory of its slot. If it fails, a
// function of the run-time library checks the access and updates the slot.
void check(LowerContext &context, llvm::Value *state, llvm::Instruction &at, const Access &access) {
  llvm::IRBuilder<> builder(&at);
  auto site = static_cast<uint32_t>(context.site(at, ""));
  unsigned space = access.pointer->getType()->getPointerAddressSpace();
  llvm::Value *pointer = builder.CreateAddrSpaceCast(access.pointer, builder.getPtrTy());
  llvm::Value *bytes = builder.CreateZExtOrTrunc(access.bytes, builder.getInt64Ty());
  llvm::Value *address = builder.CreatePtrToInt(pointer, builder.getInt64Ty());
  auto [variable, number] = variableOf(context, access.pointer);
  llvm::Value *begin = nullptr, *room = nullptr;
  if (variable) {
    begin = builder.CreatePtrToInt(builder.CreateAddrSpaceCast(variable, builder.getPtrTy()), builder.getInt64Ty());
    room = builder.getInt64(context.program.locals[number].bytes);
  } else {
    llvm::Value *slot = builder.CreateConstGEP1_64(builder.getInt64Ty(), state, site % CodeState::kSlots * 2);
    begin = builder.CreateLoad(builder.getInt64Ty(), slot);
    room = builder.CreateLoad(builder.getInt64Ty(), builder.CreateConstGEP1_64(builder.getInt64Ty(), slot, 1));
  }
  // Atomic accesses to any memory may order those to shared local memory.
  if (context.device.watchesMemory && (context.device.watchesGlobal || space == kLocalSpace || access.isAtomic()))
    watch(context, builder, pointer, bytes, access, site);
  llvm::Value *offset = builder.CreateSub(address, begin);
  llvm::Value *outside =
      builder.CreateOr(builder.CreateICmpUGE(offset, room), builder.CreateICmpUGT(builder.CreateAdd(offset, bytes), room));
  if (access.alignment.value() > 1)
    outside = builder.CreateOr(outside, builder.CreateIsNotNull(builder.CreateAnd(address, access.alignment.value() - 1)));
  builder.SetInsertPoint(onlyIf(outside, at));
  auto flags = AccessFlags::make(llvm::Log2(access.alignment), access.how, space);
  if (variable) flags |= static_cast<unsigned>(number + 1) << AccessFlags::kVariableShift;
  llvm::Value *told = bytes;
  if (access.exchange) told = changedBits(builder, access);
  llvm::FunctionCallee function =
      context.runtime(access.exchange ? kExchangeSymbol : kAccessSymbol, builder.getVoidTy(),
                      {builder.getPtrTy(), told->getType(), builder.getInt32Ty(), builder.getInt32Ty()});
  builder.CreateCall(function, {pointer, told, builder.getInt32(flags), builder.getInt32(site)});
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
    if (found.empty()) continue;
    llvm::Value *state = codeState(context, function);
    for (auto &[at, access] : found) check(context, state, *at, access);
  }
}

// Counts iterations at each back edge. Every kPauseEvery iterations, a call lets other work-items run, and ends the run if the
// launch is given up.
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
    if (latches.empty()) continue;
    llvm::Value *state = codeState(context, function);
    for (llvm::BasicBlock *latch : latches) {
      llvm::IRBuilder<> builder(latch->getTerminator());
      llvm::Value *counter = builder.CreateConstGEP1_64(builder.getInt8Ty(), state, offsetof(CodeState, rounds));
      llvm::Value *rounds = builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), counter), builder.getInt64(1));
      builder.CreateStore(rounds, counter);
      llvm::Value *due = builder.CreateIsNull(builder.CreateAnd(rounds, kPauseEvery - 1));
      builder.SetInsertPoint(onlyIf(due, *latch->getTerminator()));
      builder.CreateCall(context.runtime(kPauseSymbol, builder.getVoidTy(), {}));
    }
  }
}

} // namespace xt::soft
