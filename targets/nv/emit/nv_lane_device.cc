#include "targets/nv/emit/nv_lane_device.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/nv/emit/functions.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace xt {

namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr RegisterTraits kTraits{.vectors = true, .function = nvFunction};

constexpr uint32_t kAllLanes = ~uint32_t{0}, kLaneBits = 5, kLastLane = 31;

LlvmValue *read(llvm::IRBuilderBase &b, Intrinsic::ID special) { return b.CreateIntrinsic(special, {}); }

} // namespace

RegisterTraits NvLaneDevice::traits() const { return kTraits; }

// With the number of threads of a block, ptxas knows how many registers each may have. That arguments are defined saves the
// back end's strength reduction much of its time.
void NvLaneDevice::annotate(llvm::Function &function, const Kernel &kernel) {
  for (llvm::Argument &argument : function.args()) argument.addAttr(llvm::Attribute::NoUndef);
  function.addFnAttr("nvvm.reqntid", str(kernel.subgroups * kernel.lanes, ",1,1"));
}

LlvmValue *NvLaneDevice::groupId(llvm::IRBuilderBase &b, int dim) {
  constexpr Intrinsic::ID kIds[] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                    Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  return b.CreateZExt(read(b, kIds[dim]), b.getInt64Ty());
}

LlvmValue *NvLaneDevice::groupCount(llvm::IRBuilderBase &b, int dim) {
  constexpr Intrinsic::ID kCounts[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                       Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  return b.CreateZExt(read(b, kCounts[dim]), b.getInt64Ty());
}

// A block has one dimension, so 32 neighbours in x are a warp.
LlvmValue *NvLaneDevice::subgroupId(llvm::IRBuilderBase &b) {
  return b.CreateLShr(read(b, Intrinsic::nvvm_read_ptx_sreg_tid_x), kLaneBits);
}

LlvmValue *NvLaneDevice::laneId(llvm::IRBuilderBase &b) {
  return b.CreateAnd(read(b, Intrinsic::nvvm_read_ptx_sreg_tid_x), kLastLane);
}

// Shuffles move 32 bits: narrower integers are widened, and the halves of wider ones go one after the other.
LlvmValue *NvLaneDevice::shuffle(llvm::IRBuilderBase &b, LlvmValue *bits, LlvmValue *lane, bool exclusiveOr) {
  Intrinsic::ID id = exclusiveOr ? Intrinsic::nvvm_shfl_sync_bfly_i32 : Intrinsic::nvvm_shfl_sync_idx_i32;
  auto word = [&](LlvmValue *value) {
    return b.CreateIntrinsic(id, {}, {b.getInt32(kAllLanes), value, lane, b.getInt32(kLastLane)});
  };
  llvm::Type *type = bits->getType();
  if (type->getIntegerBitWidth() <= 32) return b.CreateTrunc(word(b.CreateZExt(bits, b.getInt32Ty())), type);
  LlvmValue *low = word(b.CreateTrunc(bits, b.getInt32Ty())),
            *high = word(b.CreateTrunc(b.CreateLShr(bits, 32), b.getInt32Ty()));
  return b.CreateOr(b.CreateZExt(low, type), b.CreateShl(b.CreateZExt(high, type), 32));
}

void NvLaneDevice::barrier(llvm::IRBuilderBase &b, LaneScope scope) {
  switch (scope) {
  case LaneScope::Workgroup: b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all, {}, {b.getInt32(0)}); return;
  case LaneScope::Subgroup: b.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {}, {b.getInt32(kAllLanes)}); return;
  case LaneScope::Device: break;
  }
  XT_UNREACHABLE("no barrier joins the workgroups of a launch");
}

// Barrier 0 is that of the workgroup.
void NvLaneDevice::countingBarrier(llvm::IRBuilderBase &b, LlvmValue *number, int64_t subgroups, bool waits) {
  Intrinsic::ID id = waits ? Intrinsic::nvvm_barrier_cta_sync_aligned_count : Intrinsic::nvvm_barrier_cta_arrive_aligned_count;
  auto lanes = static_cast<uint32_t>(subgroups * (kLastLane + 1));
  b.CreateIntrinsic(id, {}, {b.CreateAdd(number, b.getInt32(1)), b.getInt32(lanes)});
}

// A fence of PTX orders all memory.
void NvLaneDevice::fence(llvm::IRBuilderBase &b, LaneScope scope, LaneMemory) {
  b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, b.getContext().getOrInsertSyncScopeID(scopeName(scope)));
}

// PTX has no scope of a warp.
llvm::StringRef NvLaneDevice::scopeName(LaneScope scope) const {
  switch (scope) {
  case LaneScope::Device: return "device";
  case LaneScope::Workgroup:
  case LaneScope::Subgroup: return "block";
  }
  XT_UNREACHABLE("scope");
}

} // namespace xt
