#include "lang/lower/scope_checks.h"

#include "ir/async_copies.h"
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "ir/uniformity.h"
#include "ir/views/scalar.h"
#include "ir/written_name.h"

#include <unordered_set>
#include <utility>

namespace xt {
namespace {

// The largest number of work items in a workgroup on GPUs.
constexpr int64_t kMostWorkItems = 1024;

// Whether a kernel at lane scope has at most kMostWorkItems lanes and no layouts; otherwise reports an error.
bool fitsLaneScope(const ast::KernelDecl &decl, Kernel &kernel, const WrittenLayouts &written, Diagnostics &diagnostics) {
  if (kernel.scope != Scope::Lane) return true;
  if (kernel.subgroups * kernel.lanes > kMostWorkItems) {
    diagnostics.report(
        DiagCode::AttributeValue, decl.lanes->range,
        str("a workgroup has at most ", kMostWorkItems, " lanes, not ", kernel.subgroups, " subgroups of ", kernel.lanes));
    return false;
  }
  const Value *held = nullptr;
  walk(kernel.body, [&](Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i) {
      Type type = op.result(i)->type();
      if (!held && (type.isVector() || type.isTile()) && type.layout()) held = op.result(i);
    }
  });
  SourceRange range = held ? held->range() : SourceRange();
  if (!held && !written.operands.empty()) range = written.operands[0].place.range;
  if (!held && !written.pairs.empty()) range = written.pairs[0].ranges[0];
  if (!range.file) return true;
  diagnostics.report(DiagCode::NotHere, range, "a layout has no meaning at lane scope")
      .note("a vector at lane scope belongs to one lane; the sg_map of a tensor_desc assigns the elements of a block to lanes");
  return false;
}

// XeGPU blocks belong to one subgroup and have no layout that distributes them over the workgroup, so they cannot appear in a
// kernel with layouts; nor can slices that expandSlices() leaves. Reports an error and returns false if they do.
bool blocksStandAlone(Kernel &kernel, const WrittenLayouts &written, Diagnostics &diagnostics) {
  if (kernel.forms.has(Form::SubgroupTiles)) return true; // the layouts are those of lanes
  const Op *block = nullptr, *slice = nullptr;
  walk(kernel.body, [&](Op &op) {
    bool windows = false;
    for (size_t i = 0; i < op.resultCount(); ++i) windows |= op.result(i)->type().isTensorDesc();
    if (windows && op.info().dialect == Dialect::XeGpu && !block) block = &op;
    bool slices = op.kind() == OpKind::ExtractStridedSlice || op.kind() == OpKind::InsertStridedSlice;
    if (slices && op.result()->type().rank() != 2 && !slice) slice = &op;
  });
  if ((!block && !slice) || !hasLayouts(kernel, written)) return true;
  if (!block) {
    Type type = slice->result()->type();
    diagnostics
        .report(DiagCode::NotHere, slice->range(),
                str("`", writtenName(*slice, *written.sources), "` of ", shapedText(type), " in a kernel with layouts"))
        .note(type.rank()
                  ? "two layouts in braces are for slices of matrices: write them in the types of the operand and of the result"
                  : "a vector without dimensions has no parts");
    return false;
  }
  diagnostics
      .report(DiagCode::NotHere, block->range(),
              str("`", writtenName(*block, *written.sources), "` has no meaning at workgroup scope"))
      .note("layouts appear in this kernel, so the whole workgroup executes each op; blocks and lanes belong to one "
            "subgroup");
  return false;
}

// Whether all lanes of a subgroup have the same descriptor for a block that they access together; otherwise reports an error.
bool laneAgrees(const Op &op, const SourceManager &sources, const std::unordered_set<const Value *> &divergent,
                Diagnostics &diagnostics) {
  for (size_t i = 0; i < op.operandCount(); ++i) {
    if (!op.operand(i)->type().isTensorDesc() || !divergent.contains(op.operand(i))) continue;
    std::string_view name = writtenName(op, sources);
    diagnostics
        .report(DiagCode::NotHere, op.operandRange(i),
                str("the ", name == op.info().name ? "tensor_desc" : "memory", " of `", name, "` differs from lane to lane"))
        .withLabel("depends on `lane_id()`")
        .note(name == op.info().name ? "the lanes of a subgroup access one block together; its sg_map assigns elements to lanes"
                                     : "the lanes of a subgroup access one matrix together");
    return false;
  }
  return true;
}

// Reports barriers under divergent control flow: if subgroups reach a barrier different numbers of times, the kernel
// deadlocks. The same holds for collective ops if the lanes of a subgroup diverge.
void checkBarriers(Kernel &kernel, const SourceManager &sources, Diagnostics &diagnostics) {
  if (kernel.scope == Scope::Workgroup) return;
  bool lanes = kernel.scope == Scope::Lane;
  std::unordered_set<const Value *> divergent = divergentValues(kernel), ofLanes;
  if (lanes) ofLanes = divergentValues(kernel, Among::Subgroup);
  walk(kernel.body, [&](Op &op) {
    bool barrier = op.kind() == OpKind::Barrier;
    if (!barrier && !(lanes && op.info().collective)) return;
    if (!barrier && !laneAgrees(op, sources, ofLanes, diagnostics)) return;
    for (const Op *around = op.block()->parentOp(); around; around = around->block()->parentOp())
      if (divergesAt(*around, barrier ? divergent : ofLanes)) {
        bool ofLane = lanes && divergesAt(*around, ofLanes);
        diagnostics
            .report(DiagCode::DivergentBarrier, op.range(),
                    barrier ? str("not all ", ofLane ? "lanes" : "subgroups", " reach this barrier")
                            : str("not all lanes of a subgroup reach this `", writtenName(op, sources), "`"))
            .at(around->range(), str("this `", around->info().name, "` depends on the ", ofLane ? "lane" : "subgroup"))
            .note(barrier ? str("a barrier waits for every ", lanes ? "lane" : "subgroup",
                                " of the workgroup: move it out of the branch or loop that depends on `",
                                ofLane ? "lane_id()" : "subgroup_id()", "`")
                          : str("the lanes of a subgroup execute it together: move it out of the branch or loop that depends "
                                "on `lane_id()`"));
        return;
      }
  });
}

} // namespace

bool hasLayouts(const Kernel &kernel, const WrittenLayouts &written) {
  bool layouts = !written.operands.empty() || !written.pairs.empty();
  walk(kernel.body, [&](const Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i) {
      Type type = op.result(i)->type();
      layouts |= (type.isVector() || type.isTile()) && type.layout();
    }
  });
  return layouts;
}

bool fitsScope(const ast::KernelDecl &decl, Kernel &kernel, const WrittenLayouts &written, Diagnostics &diagnostics) {
  return fitsLaneScope(decl, kernel, written, diagnostics) && blocksStandAlone(kernel, written, diagnostics);
}

void checkPlaces(Kernel &kernel, const SourceManager &sources, Diagnostics &diagnostics) {
  // If a loop carries a token by mistake, an op before the loop and one inside are wrong: only the first is reported.
  std::unordered_set<const Op *> carriers; // for lookup only
  auto carriedAlready = [&](const Op &op) {
    bool known = false;
    for (size_t i = 0; i < op.resultCount(); ++i)
      for (Use use : op.result(i)->uses()) {
        const Op *carrier = use.user->kind() == OpKind::Yield ? use.user->block()->parentOp() : use.user;
        if (carrier->regionCount()) known |= !carriers.insert(carrier).second;
      }
    return known;
  };
  walk(kernel.body, [&](Op &op) {
    if (op.kind() == OpKind::SubgroupId && kernel.scope == Scope::Workgroup)
      diagnostics.report(DiagCode::NotHere, op.range(), "`subgroup_id` has no meaning at workgroup scope")
          .note("layouts appear in this kernel, so the whole workgroup executes each op");
    if (op.kind() == OpKind::BlockId && !kernel.grid.empty()) {
      BlockIdDimension dimension = BlockIdOp(op).dimension();
      auto index = static_cast<size_t>(dimension);
      if (index >= kernel.grid.size())
        diagnostics.report(DiagCode::NotHere, op.range(),
                           str("the grid of this kernel has ", kernel.grid.size(), " dimension",
                               kernel.grid.size() == 1 ? "" : "s", ", so there is no block_id ", wordText(dimension)));
    }
    if (std::optional<AsyncMistake> mistake = asyncMistake(op); mistake && !carriedAlready(op))
      diagnostics.report(mistake->code, mistake->range, std::string(mistake->message))
          .note("write `%copy = async_copy %from, %to`, then `%group = async_commit %copy`, and `async_wait %group` where the "
                "data is needed");
    if (op.kind() == OpKind::AllocSlm && op.block() != &kernel.body)
      diagnostics
          .report(DiagCode::NotHere, op.range(), "`alloc_slm` must be at the top level of a kernel, not in a loop or a branch")
          .note("a buffer exists from the start of the workgroup to its end");
  });
  checkBarriers(kernel, sources, diagnostics);
}

} // namespace xt
