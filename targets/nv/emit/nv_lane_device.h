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
  llvm::StringRef scopeName(LaneScope scope) const override;
  bool addsFloats() const override { return true; }
  Fragment product(LaneContext &c, const MmaInstruction &instruction, const Fragment &a, const Fragment &b,
                   const Fragment &sum) override;
};

} // namespace xt
