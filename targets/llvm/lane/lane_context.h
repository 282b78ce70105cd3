// The state of the lane emitter for one kernel, which its parts share.
#pragma once
#include "ir/async_groups.h"
#include "ir/base/diagnostics.h"
#include "ir/gpu/operand_layout.h"
#include "ir/gpu/slm_layout.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/llvm/lane/barrier_plan.h"
#include "targets/llvm/lane/lane_device.h"
#include "targets/llvm/lane/lane_kernel.h"
#include "targets/llvm/lane/lane_values.h"

#include <llvm/Analysis/InstSimplifyFolder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace xt {

// A variable in shared local memory that holds only the buffers which share this memory.
struct SlmVariable {
  int64_t begin, end; // byte offsets in the kernel's shared local memory
  llvm::GlobalVariable *variable;
};

// Named barriers: those of the device, if there is a plan for them, and else words in shared local memory.
struct KernelBarriers {
  std::optional<BarrierPlan> plan;
  LlvmValue *first = nullptr;
  int64_t made = 0, count = 0; // number of barriers that are allocated, and of those that have memory
};

// An index that a loop moves on as its variable counts: `counted` plus what is known before the loop.
struct CountedIndex {
  LlvmValue *counted;              // how far the variable has come, from 0 on; in 32 bits only if it is below 2^31
  LlvmValues first;                // the sum of these, with their signs extended, is the first value
  llvm::BasicBlock *before, *body; // from where the loop is entered, and its first block, which is made before its others
  // Whether a number is computed before the loop, while the code of the loop is being emitted.
  bool isBefore(const LlvmValue *number) const;
};

struct LaneContext {
  // All arguments must outlive the object.
  LaneContext(llvm::Module &module, Context &types, const Kernel &kernel, const TargetInfo &target, LaneDevice &device,
              Diagnostics &diagnostics);
  LaneContext(const LaneContext &) = delete;
  LaneContext &operator=(const LaneContext &) = delete;

  unsigned addressSpace(MemorySpace space) const { return device.addressSpace(space); }
  llvm::SyncScope::ID syncScope(LaneScope scope) { return b.getContext().getOrInsertSyncScopeID(device.scopeName(scope)); }
  void noteAligned(const Value *window, int64_t bytes); // the code needs a window's matrix to be aligned
  void barrier(LaneScope scope); // all barriers are added here, which records whether subgroups may diverge at one

  llvm::Module &module;
  Context &types;
  const Kernel &kernel;
  const TargetInfo &target;
  LaneDevice &device;
  Diagnostics &diagnostics;
  llvm::IRBuilder<llvm::InstSimplifyFolder> b;
  RegisterOps ops;
  IndexRanges ranges;
  LaneValues values;
  const AsyncGroups groups;
  SlmLayout slmLayout;
  std::vector<SlmVariable> slm; // in ascending order
  LaneKernel output;
  const bool lanesWrite;                               // whether some lane writes memory on its own
  const std::unordered_set<const Value *> divergent;   // values that differ among the subgroups of a workgroup
  // Values that differ among the lanes of a subgroup; only if the device marks uniform branches.
  const std::unordered_set<const Value *> lanesDiffer;
  int divergentRegions = 0; // number of branches and loops around the current op that depend on the subgroup
  LlvmValue *coordinates[3] = {}; // of the workgroup: x, y, z
  LlvmValue *subgroup = nullptr, *lane = nullptr, *outcome = nullptr;
  LlvmValue *extent = nullptr; // a size argument of some memref; null: there is none
  KernelBarriers barriers;
  std::unordered_map<const LlvmValue *, CountedIndex> counted; // used for lookup only
  std::map<const MmaInstruction *, std::array<RegisterLayout, 3>>
      operandLayouts; // layouts of the operands of products so far; used for lookup only
  int64_t failureNumbers = 0; // number of failure numbers in use
};

// A part of the lane emitter: a view of the context that adds code for some ops. Parts have no state of their own.
class LanePart {
public:
  explicit LanePart(LaneContext &context) : c(context), b(context.b), ops(context.ops), v(context.values) {}

protected:
  LaneContext &c;
  llvm::IRBuilderBase &b;
  RegisterOps &ops;
  LaneValues &v;
};

} // namespace xt
