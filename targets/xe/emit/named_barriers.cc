// Named barriers in shared local memory, because those of SPIR-V have no producers and consumers, and no arrival without
// waiting.
//
// A barrier is one word: bits 0 to 7 count the producers that have arrived, bits 8 to 15 the consumers, and the bits above the
// completed rounds. The words are followed by the round in which each subgroup last arrived at each barrier. Subgroups wait by
// polling, which works because all subgroups of a workgroup run at the same time.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/constants.h"
#include "ir/views/xegpu.h"
#include "targets/xe/emit/kernel_emitter.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>

namespace xt {
namespace {

enum Part : size_t { kId, kRole, kProducers, kConsumers, kParts };
constexpr int64_t kRoundShift = 16, kConsumerShift = 8, kMostBarriers = 32;

// The number of allocated barriers, if it is constant; nullopt: the kernel uses none.
std::optional<int64_t> barrierCount(const Kernel &kernel) {
  std::optional<int64_t> count;
  walk(kernel.body, [&](const Op &op) {
    if (op.kind() == OpKind::CreateNbarrier) count = count.value_or(0);
    if (op.kind() != OpKind::AllocNbarrier) return;
    count =
        std::max(count.value_or(0), std::clamp<int64_t>(constantInt(*op.operand(0)).value_or(kMostBarriers), 1, kMostBarriers));
  });
  return count;
}

} // namespace

// Initialises the barriers: no subgroup has arrived. Barriers that were not allocated fail when they are created, but they have
// memory nevertheless.
void XeKernelEmitter::prepareNamedBarriers() {
  std::optional<int64_t> made = barrierCount(kernel_);
  if (!made) return;
  madeBarriers_ = *made;
  barrierCount_ = std::max<int64_t>(1, madeBarriers_);
  int64_t words = barrierCount_ * (1 + kernel_.subgroups);
  auto *type = llvm::ArrayType::get(b.getInt32Ty(), static_cast<uint64_t>(words));
  auto *memory = new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::PoisonValue::get(type), output_.entry + ".barriers", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, addressSpace(MemorySpace::Slm));
  memory->setAlignment(llvm::Align(kSlmAlignment));
  barriers_ = memory;
  output_.slmBytes += 4 * words;
  LlvmValue *first = b.CreateICmpEQ(b.CreateOr(subgroup_, lane_), number32(0));
  guardedDo(first, [&] {
    for (int64_t i = 0; i < barrierCount_; ++i) b.CreateAlignedStore(number32(0), barrierWord(number32(i)), llvm::Align(4));
  });
  barrier(kWorkgroupScope);
}

LlvmValue *XeKernelEmitter::barrierWord(LlvmValue *index) { return b.CreateGEP(b.getInt32Ty(), barriers_, {index}); }

// The address of the round in which this subgroup last arrived.
LlvmValue *XeKernelEmitter::arrivalWord(LlvmValue *id) {
  LlvmValue *own = b.CreateAdd(b.CreateMul(id, number32(kernel_.subgroups)), subgroup_);
  return barrierWord(b.CreateAdd(own, number32(barrierCount_)));
}

void XeKernelEmitter::emitNamedBarrier(const Op &op) {
  if (op.kind() == OpKind::AllocNbarrier) return; // allocated at the kernel's beginning
  if (op.kind() == OpKind::NbarrierArrive) return arriveAt(parts_.at(op.operand(0)));
  if (op.kind() == OpKind::NbarrierWait) return waitAt(op, parts_.at(op.operand(0)));
  Parts part(kParts, nullptr);
  for (size_t i : {kId, kRole}) part[i] = resize(asIndex(op.operand(i)), true);
  failIf(b.CreateICmpUGE(part[kId], number32(madeBarriers_)), op,
         "this named barrier does not exist: `alloc_nbarrier` has not allocated it");
  part[kId] = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, part[kId], number32(barrierCount_ - 1));
  part[kProducers] = number32(CreateNbarrierOp(op).numProducers());
  part[kConsumers] = number32(CreateNbarrierOp(op).numConsumers());
  parts_[op.result()] = std::move(part);
}

// The lanes of a subgroup arrive together. Their earlier writes are visible to the subgroups that wait.
void XeKernelEmitter::arriveAt(const Parts &part) {
  barrier(kSubgroupScope);
  fence(kWorkgroupScope);
  guardedDo(b.CreateICmpEQ(lane_, number32(0)), [&] {
    LlvmValue *word = barrierWord(part[kId]);
    llvm::SyncScope::ID scope = b.getContext().getOrInsertSyncScopeID("workgroup");
    llvm::LoadInst *first = b.CreateAlignedLoad(b.getInt32Ty(), word, llvm::Align(4));
    first->setAtomic(llvm::AtomicOrdering::Monotonic, scope);
    llvm::Function *function = b.GetInsertBlock()->getParent();
    llvm::BasicBlock *before = b.GetInsertBlock();
    auto *again = llvm::BasicBlock::Create(b.getContext(), "arrive", function);
    auto *done = llvm::BasicBlock::Create(b.getContext(), "arrived", function);
    b.CreateBr(again);
    b.SetInsertPoint(again);
    llvm::PHINode *old = openPhi(first, before);
    auto isRole = [&](int64_t role) { return b.CreateZExt(b.CreateICmpNE(part[kRole], number32(role)), b.getInt32Ty()); };
    LlvmValue *come = b.CreateAdd(isRole(2), b.CreateShl(isRole(1), kConsumerShift));
    LlvmValue *with = b.CreateAdd(old, come);
    auto count = [&](int64_t shift) { return b.CreateAnd(b.CreateLShr(with, static_cast<uint64_t>(shift)), number32(0xFF)); };
    LlvmValue *complete =
        b.CreateAnd(b.CreateICmpUGE(count(0), part[kProducers]), b.CreateICmpUGE(count(kConsumerShift), part[kConsumers]));
    LlvmValue *counted = b.CreateAdd(part[kProducers], b.CreateShl(part[kConsumers], kConsumerShift));
    LlvmValue *next = b.CreateSub(b.CreateAdd(with, number32(int64_t{1} << kRoundShift)), counted);
    llvm::AtomicCmpXchgInst *swap =
        b.CreateAtomicCmpXchg(word, old, b.CreateSelect(complete, next, with), llvm::Align(4),
                              llvm::AtomicOrdering::AcquireRelease, llvm::AtomicOrdering::Acquire, scope);
    LlvmValue *found = b.CreateExtractValue(swap, 0);
    LlvmValue *swapped = b.CreateExtractValue(swap, 1);
    closePhi(old, found);
    b.CreateCondBr(swapped, done, again);
    b.SetInsertPoint(done);
    b.CreateAlignedStore(b.CreateLShr(found, kRoundShift), arrivalWord(part[kId]), llvm::Align(4));
  });
  barrier(kSubgroupScope);
}

// One lane polls for all, so that they continue together. The name of the loop lets a device report the wait to the host.
void XeKernelEmitter::waitAt(const Op &op, const Parts &part) {
  LlvmValue *mine = b.CreateAlignedLoad(b.getInt32Ty(), arrivalWord(part[kId]), llvm::Align(4));
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto *again = llvm::BasicBlock::Create(b.getContext(), str(kXeWaitName, output_.waits.size()), function);
  auto *done = llvm::BasicBlock::Create(b.getContext(), "waited", function);
  output_.waits.push_back(op.range());
  b.CreateBr(again);
  b.SetInsertPoint(again);
  barrier(kSubgroupScope);
  llvm::LoadInst *word = b.CreateAlignedLoad(b.getInt32Ty(), barrierWord(part[kId]), llvm::Align(4));
  word->setAtomic(llvm::AtomicOrdering::Acquire, b.getContext().getOrInsertSyncScopeID("workgroup"));
  LlvmValue *round = shuffled(Elem::I32, b.CreateLShr(word, kRoundShift), number32(0));
  b.CreateCondBr(b.CreateICmpEQ(round, mine), again, done);
  b.SetInsertPoint(done);
  fence(kWorkgroupScope);
}

} // namespace xt
