// Implements Intel GPUs for the lane emitter: the functions of OpenCL C, 2D block messages, products (dpas) and cache hints.
#pragma once
#include "ir/base/diagnostics.h"
#include "targets/llvm/lane/lane_context.h"
#include "targets/xe/emit/block_plan.h"
#include "targets/xe/emit/device_calls.h"
#include "targets/xe/emit/emit.h"

namespace xt {

class XeLaneDevice final : public LaneDevice {
public:
  // The arguments must outlive the object. Reports remarks on blocks that no message moves.
  XeLaneDevice(const Kernel &kernel, const TargetInfo &target, const XeEmitOptions &options, Diagnostics &diagnostics);
  const std::vector<GpuBlockUse> &blockUses() const { return blocks_.uses; }
  // Whether the kernel uses the large register file. If it needs one, reports a remark, also if a core would then have too
  // few threads for a workgroup, so that the kernel does not use it.
  bool wantsLargeRegisterFile() const;

  RegisterTraits traits() const override;
  llvm::CallingConv::ID kernelConvention() const override { return llvm::CallingConv::SPIR_KERNEL; }
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
  bool addsFloats() const override { return !target_.mma.empty(); }

  // cache_hints.cc
  void beginOp(LaneContext &c, const Op &op) override;
  LlvmValue *accessed(LaneContext &c, LlvmValue *address) override;
  // blocks.cc
  bool takesBlock(const Op &op) const override { return blocks_.calls.contains(&op); }
  Fragment loadBlock(LaneContext &c, const Op &op, llvm::function_ref<Fragment()> byLanes) override;
  void storeBlock(LaneContext &c, const Op &op, const Fragment &value, llvm::function_ref<void()> byLanes) override;
  void prefetchBlock(LaneContext &c, const Op &op) override;
  bool sendsExtents(size_t param) const override;
  std::vector<ExtentFacts> extentFacts() const override { return blocks_.facts; }
  bool loadsLines() const override { return options_.blockMessages && !target_.lineWords.empty(); }
  LlvmValue *loadLine(LaneContext &c, LlvmValue *address, int64_t wordBytes, int64_t words) override;
  bool joinsBehindBranches() const override { return true; }
  // dpas.cc
  bool hidesLength(const Op &loop) const override;
  Fragment product(LaneContext &c, const MmaInstruction &instruction, const Fragment &a, const Fragment &b,
                   const Fragment &sum) override;
  // cooperative_matrices.cc
  bool marksUniformBranches() const override { return target_.cooperativeMatrices; }
  bool takesMatrix(LaneContext &c, const Op &op) override;
  Fragment loadMatrix(LaneContext &c, const Op &op, llvm::function_ref<Fragment()> byLanes) override;
  void storeMatrix(LaneContext &c, const Op &op, const Fragment &value,
                   llvm::function_ref<void(const Fragment &)> byLanes) override;

private:
  void remark(const Op &op, std::string message);
  LlvmValues blockArgs(LaneContext &c, const Value *desc, const BlockCall &call);
  void sendBlock(LaneContext &c, const BlockCall &call, LlvmValues args, LlvmValue *memory);
  LlvmValues loadWords(LaneContext &c, const Value *desc, const BlockCall &call);
  void storeWords(LaneContext &c, const Value *desc, const BlockCall &call, const Fragment &value);
  LlvmValue *obeysRules(LaneContext &c, const Op &op, const Value *desc);

  const Kernel &kernel_;
  const TargetInfo &target_;
  const XeEmitOptions &options_;
  Diagnostics &diagnostics_;
  WindowOrigins origins_;
  MessagePlan blocks_;
  llvm::MDNode *hints_ = nullptr; // cache hints of the op that is being emitted; null: none
};

} // namespace xt
