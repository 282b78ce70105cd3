#include "targets/llvm/lane/lane_context.h"

#include "ir/base/check.h"
#include "ir/uniformity.h"

#include <algorithm>

namespace xt {
namespace {

// Whether some lane may write memory that another lane reads, other than by one message of the whole subgroup.
bool writesByLane(const Kernel &kernel) {
  bool writes = false;
  walk(kernel.body,
       [&](const Op &op) { writes |= has(op.info().effects, Effect::Writes) && op.info().typeRule != TypeRule::StoreNd; });
  return writes;
}

} // namespace

LaneContext::LaneContext(llvm::Module &module, Context &types, const Kernel &kernel, const TargetInfo &target,
                         LaneDevice &device, Diagnostics &diagnostics)
    : module(module), types(types), kernel(kernel), target(target), device(device), diagnostics(diagnostics),
      b(module.getContext(), llvm::InstSimplifyFolder(module.getDataLayout())), ops(b, device.traits()),
      ranges(kernel, device.extentFacts()), values(b, ops, ranges), groups(kernel), slmLayout(xt::slmLayout(kernel)),
      lanesWrite(writesByLane(kernel)), divergent(divergentValues(kernel, Among::Workgroup, LoadedValues::MayDiffer)),
      lanesDiffer(device.marksUniformBranches() ? divergentValues(kernel, Among::Subgroup, LoadedValues::MayDiffer)
                                                : std::unordered_set<const Value *>()) {}

void LaneContext::noteAligned(const Value *window, int64_t bytes) {
  const Op *root = ranges.roots().root(window);
  XT_CHECK(root, "the matrix of the window is known");
  size_t param = withoutCasts(root->operand(0))->index();
  auto known = std::ranges::find(output.alignments, param, &LaneAlignment::param);
  if (known == output.alignments.end()) known = output.alignments.insert(known, {param, bytes});
  known->bytes = std::max(known->bytes, bytes);
}

void LaneContext::barrier(LaneScope scope) {
  output.divergentBarriers |= scope == LaneScope::Subgroup && divergentRegions > 0;
  device.barrier(b, scope);
}

bool CountedIndex::isBefore(const LlvmValue *number) const {
  auto *made = llvm::dyn_cast_or_null<llvm::Instruction>(number);
  return !made || made->getParent()->getNumber() < body->getNumber();
}

} // namespace xt
