// Implements NVIDIA GPUs for the lane emitter: the intrinsics of NVVM for ids, shuffles, barriers and products (mma.sync).
#pragma once
#include "targets/llvm/lane/lane_context.h"

namespace xt {

class NvLaneDevice final : public LaneDevice {
public:
  RegisterTraits traits() const override;
  llvm::CallingConv::ID kernelConvention() const override { return llvm::CallingConv::PTX_Kernel; }
  unsigned addressSpace(MemorySpace space) const override { return space == MemorySpace::Slm ? 3 : 1; }
  void annotate(llvm::Function &function, const Kernel &kernel) override;
  LlvmValue *groupId(llvm::IRBuilderBase &b, int dim) override;
  LlvmValue *groupCount(llvm::IRBuilderBase &b, int dim) override;
  LlvmValue *subgroupId(llvm::IRBuilderBase &b) override;
  LlvmValue *laneId(llvm::IRBuilderBase &b) override;
  LlvmValue *shuffle(llvm::IRBuilderBase &b, LlvmValue *bits, LlvmValue *lane, bool exclusiveOr) override;
  void barrier(llvm::IRBuilderBase &b, LaneScope scope) override;
  void fence(llvm::IRBuilderBase &b, LaneScope scope, LaneMemory memory) override;
  bool countsAtBarriers() const override { return true; }
  void countingBarrier(llvm::IRBuilderBase &b, LlvmValue *number, int64_t subgroups, bool waits) override;
  llvm::StringRef scopeName(LaneScope scope) const override;
  bool atomicsOrderAll() const override { return true; } // PTX, "Memory Consistency Model": causality order
  bool addsFloats() const override { return true; }
  bool swizzles() const override { return true; }
  bool copiesAsync() const override { return true; }
  void copyAsync(llvm::IRBuilderBase &b, LlvmValue *to, LlvmValue *from, int64_t bytes, LlvmValue *present) override;
  void commitAsync(llvm::IRBuilderBase &b) override;
  void waitAsync(llvm::IRBuilderBase &b, int64_t later) override;
  void beginOp(LaneContext &c, const Op &) override { context_ = &c; }
  bool takesBlock(const Op &op) const override;
  Fragment loadBlock(LaneContext &c, const Op &op, llvm::function_ref<Fragment()> byLanes) override;
  Fragment product(LaneContext &c, const MmaInstruction &instruction, const Fragment &a, const Fragment &b,
                   const Fragment &sum) override;

private:
  bool isInside(const Op &makesBlock) const;

  LaneContext *context_ = nullptr; // of the current op
};

} // namespace xt
