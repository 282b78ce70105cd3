#include "targets/llvm/lane/named_barriers.h"

#include "ir/base/text.h"
#include "ir/constants.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/xegpu.h"
#include "targets/llvm/lane/exchange.h"
#include "targets/llvm/lane/failures.h"
#include "targets/llvm/lane/memory.h"
#include "targets/llvm/lane/phi.h"

#include <algorithm>
#include <optional>

namespace xt {
namespace {

constexpr int64_t kRoundShift = 16, kConsumerShift = 8, kMostBarriers = 32;

// The number of allocated barriers, or kMostBarriers if it is not constant; nullopt: the kernel uses none.
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

// Makes the plan for barriers of the device. Without one, a remark says why.
bool LaneNamedBarriers::usesDevice(int64_t allocated) {
  if (!c.device.countsAtBarriers()) return false;
  BarrierPlan plan = planBarriers(c.kernel, std::min(c.target.namedBarriers, allocated));
  if (plan.missing.empty()) {
    c.barriers.plan = std::move(plan);
    return true;
  }
  walk(c.kernel.body, [&](const Op &op) {
    if (op.kind() == OpKind::AllocNbarrier)
      c.diagnostics.report(
          DiagCode::PassRemark, op.range(),
          str("named barriers are words in shared local memory, at which subgroups wait in loops: ", plan.missing));
  });
  return false;
}

// Initialises the barriers: no subgroup has arrived. Creating a barrier that was not allocated is a failure, but the code after
// it runs anyway, and needs memory for it.
void LaneNamedBarriers::prepare() {
  std::optional<int64_t> made = barrierCount(c.kernel);
  if (!made || usesDevice(*made)) return;
  c.barriers.made = *made;
  c.barriers.count = std::max<int64_t>(1, c.barriers.made);
  int64_t words = c.barriers.count * (1 + c.kernel.subgroups);
  auto *type = llvm::ArrayType::get(b.getInt32Ty(), static_cast<uint64_t>(words));
  auto *memory = new llvm::GlobalVariable(c.module, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::PoisonValue::get(type), c.output.entry + ".barriers", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, c.addressSpace(MemorySpace::Slm));
  memory->setAlignment(llvm::Align(kSlmAlignment));
  c.barriers.first = memory;
  c.output.slmBytes += 4 * words;
  LlvmValue *first = b.CreateICmpEQ(b.CreateOr(c.subgroup, c.lane), v.number32(0));
  LaneMemoryOps(c).guardedDo(first, [&] {
    for (int64_t i = 0; i < c.barriers.count; ++i)
      b.CreateAlignedStore(v.number32(0), barrierWord(v.number32(i)), llvm::Align(4));
  });
  c.barrier(LaneScope::Workgroup);
}

LlvmValue *LaneNamedBarriers::barrierWord(LlvmValue *index) { return b.CreateGEP(b.getInt32Ty(), c.barriers.first, {index}); }

// Returns the address of the word with the round in which this subgroup last arrived.
LlvmValue *LaneNamedBarriers::arrivalWord(LlvmValue *id) {
  LlvmValue *own = b.CreateAdd(b.CreateMul(id, v.number32(c.kernel.subgroups)), c.subgroup);
  return barrierWord(b.CreateAdd(own, v.number32(c.barriers.count)));
}

void LaneNamedBarriers::emit(const Op &op) {
  if (op.kind() == OpKind::AllocNbarrier) return; // allocated at the kernel's beginning
  if (c.barriers.plan && op.kind() != OpKind::CreateNbarrier) return meetAt(op, v.partsOf(op.operand(0)));
  if (op.kind() == OpKind::NbarrierArrive) return arriveAt(v.partsOf(op.operand(0)));
  if (op.kind() == OpKind::NbarrierWait) return waitAt(op, v.partsOf(op.operand(0)));
  LaneParts part(kBarrierParts, nullptr);
  for (size_t i : {kBarrierId, kBarrierRole}) part[i] = v.resize(v.asIndex(op.operand(i)), true);
  part[kBarrierProducers] = v.number32(CreateNbarrierOp(op).numProducers());
  part[kBarrierConsumers] = v.number32(CreateNbarrierOp(op).numConsumers());
  if (c.barriers.plan) return v.setParts(op.result(), std::move(part));
  LaneFailures(c).failIf(b.CreateICmpUGE(part[kBarrierId], v.number32(c.barriers.made)), op,
                         "this named barrier does not exist: `alloc_nbarrier` has not allocated it");
  part[kBarrierId] = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, part[kBarrierId], v.number32(c.barriers.count - 1));
  v.setParts(op.result(), std::move(part));
}

void LaneNamedBarriers::meetAt(const Op &op, const LaneParts &part) {
  auto at = c.barriers.plan->places.find(&op);
  if (at == c.barriers.plan->places.end() || at->second.how == BarrierPlace::How::Nothing)
    return; // in code that no subgroup runs
  c.device.countingBarrier(b, part[kBarrierId], at->second.subgroups, at->second.how == BarrierPlace::How::Sync);
}

// The lanes of a subgroup arrive together. Their earlier writes become visible to the subgroups that wait.
void LaneNamedBarriers::arriveAt(const LaneParts &part) {
  c.barrier(LaneScope::Subgroup);
  if (!c.device.atomicsOrderAll()) c.device.fence(b, LaneScope::Workgroup, LaneMemory::Both);
  LaneMemoryOps(c).guardedDo(b.CreateICmpEQ(c.lane, v.number32(0)), [&] {
    LlvmValue *word = barrierWord(part[kBarrierId]);
    llvm::SyncScope::ID scope = c.syncScope(LaneScope::Workgroup);
    llvm::LoadInst *first = b.CreateAlignedLoad(b.getInt32Ty(), word, llvm::Align(4));
    first->setAtomic(llvm::AtomicOrdering::Monotonic, scope);
    llvm::Function *function = b.GetInsertBlock()->getParent();
    llvm::BasicBlock *before = b.GetInsertBlock();
    auto *again = llvm::BasicBlock::Create(b.getContext(), "arrive", function);
    auto *done = llvm::BasicBlock::Create(b.getContext(), "arrived", function);
    b.CreateBr(again);
    b.SetInsertPoint(again);
    llvm::PHINode *old = openPhi(b, first, before);
    auto isRole = [&](int64_t role) {
      return b.CreateZExt(b.CreateICmpNE(part[kBarrierRole], v.number32(role)), b.getInt32Ty());
    };
    LlvmValue *come = b.CreateAdd(isRole(2), b.CreateShl(isRole(1), kConsumerShift));
    LlvmValue *with = b.CreateAdd(old, come);
    auto count = [&](int64_t shift) { return b.CreateAnd(b.CreateLShr(with, static_cast<uint64_t>(shift)), v.number32(0xFF)); };
    LlvmValue *complete = b.CreateAnd(b.CreateICmpUGE(count(0), part[kBarrierProducers]),
                                      b.CreateICmpUGE(count(kConsumerShift), part[kBarrierConsumers]));
    LlvmValue *counted = b.CreateAdd(part[kBarrierProducers], b.CreateShl(part[kBarrierConsumers], kConsumerShift));
    LlvmValue *next = b.CreateSub(b.CreateAdd(with, v.number32(int64_t{1} << kRoundShift)), counted);
    llvm::AtomicCmpXchgInst *swap =
        b.CreateAtomicCmpXchg(word, old, b.CreateSelect(complete, next, with), llvm::Align(4),
                              llvm::AtomicOrdering::AcquireRelease, llvm::AtomicOrdering::Acquire, scope);
    LlvmValue *found = b.CreateExtractValue(swap, 0);
    LlvmValue *swapped = b.CreateExtractValue(swap, 1);
    closePhi(b, old, found);
    b.CreateCondBr(swapped, done, again);
    b.SetInsertPoint(done);
    b.CreateAlignedStore(b.CreateLShr(found, kRoundShift), arrivalWord(part[kBarrierId]), llvm::Align(4));
  });
  if (!c.device.atomicsOrderAll()) c.barrier(LaneScope::Subgroup);
}

// All lanes compare the round that lane 0 reads, so that they continue together. Where an atomic access orders all, each lane
// reads the word itself and knows what the others have released; it must know the round that lane 0 has stored first. The name
// of the loop lets a device report the wait to the host.
void LaneNamedBarriers::waitAt(const Op &op, const LaneParts &part) {
  const bool alone = c.device.atomicsOrderAll();
  if (alone) c.barrier(LaneScope::Subgroup);
  LlvmValue *mine = b.CreateAlignedLoad(b.getInt32Ty(), arrivalWord(part[kBarrierId]), llvm::Align(4));
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto *again = llvm::BasicBlock::Create(b.getContext(), str(kWaitName, c.output.waits.size()), function);
  auto *done = llvm::BasicBlock::Create(b.getContext(), "waited", function);
  c.output.waits.push_back(op.range());
  b.CreateBr(again);
  b.SetInsertPoint(again);
  if (!alone) c.barrier(LaneScope::Subgroup);
  llvm::LoadInst *word = b.CreateAlignedLoad(b.getInt32Ty(), barrierWord(part[kBarrierId]), llvm::Align(4));
  word->setAtomic(llvm::AtomicOrdering::Acquire, c.syncScope(LaneScope::Workgroup));
  LlvmValue *round = b.CreateLShr(word, kRoundShift);
  if (!alone) round = LaneExchange(c).shuffled(Elem::I32, round, v.number32(0));
  b.CreateCondBr(b.CreateICmpEQ(round, mine), again, done);
  b.SetInsertPoint(done);
  if (!alone) c.device.fence(b, LaneScope::Workgroup, LaneMemory::Both);
}

} // namespace xt
