#include "lang/lower/kernel_lowering.h"

#include "ir/base/text.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/op_kinds.h"
#include "ir/uniformity.h"
#include "ir/views/scalar.h"

namespace xt {

KernelLowering::KernelLowering(Context &context, ParamScope &params, LoweringState &state, const ast::KernelDecl &decl,
                               std::string name)
    : context_(context), params_(params), state_(state), decl_(decl), types_(context, params),
      kernel_(std::make_unique<Kernel>()), builder_(context, kernel_->body), names_(params.symbols().index()) {
  kernel_->name = std::move(name);
  kernel_->range = decl.range;
  kernel_->nameRange = decl.name.range;
}

std::unique_ptr<Kernel> KernelLowering::run() {
  size_t before = diagnostics().errorCount();
  names_.push();
  if (lowerParams() && lowerLanes()) {
    lowerGrid();
    lowerBlock(decl_.body);
    // Infer layouts only if the kernel has no other errors, since those would cause further layout errors.
    if (diagnostics().errorCount() == before && !poisoned_) finish();
  }
  names_.pop();
  settleNames();
  return diagnostics().errorCount() == before && !poisoned_ ? std::move(kernel_) : nullptr;
}

void KernelLowering::settleNames() {
  if (NameIndex *index = params_.symbols().index()) index->settle();
}

bool KernelLowering::lowerParams() {
  for (const ast::Param &param : decl_.params) {
    Type type = types_.resolve(param.type);
    if (type && !type.isMemRef() && !type.isScalar()) {
      diagnostics().report(DiagCode::KernelParameter, param.type.range,
                           str("a kernel takes memrefs and scalars, not ", shapedText(type)));
      type = {};
    }
    if (type && type.isMemRef() && type.data().space == MemorySpace::Slm) {
      diagnostics().report(DiagCode::KernelParameter, param.type.range,
                           "shared local memory belongs to a workgroup and cannot be a parameter");
      type = {};
    }
    if (const BoundName *other = names_.find(param.name.text))
      diagnostics()
          .report(DiagCode::DuplicateName, param.name.range, str("parameter `%", param.name.text, "` is declared twice"))
          .at(other->range, "first here");
    // Bind a parameter with an invalid type to null, so that its uses report nothing.
    Value *value = kernel_->body.addParam(type ? type : context_.index(), param.name.text, param.name.range);
    kernel_->gridBlock.addParam(value->type(), param.name.text, param.name.range);
    names_.bind(param.name.text, {type ? value : nullptr, false, param.name.range});
  }
  kernel_->paramCount = decl_.params.size();
  return true;
}

void KernelLowering::lowerGrid() {
  if (decl_.grid.size() > 3)
    diagnostics().report(DiagCode::GridRange, decl_.grid[3].name.range, "a grid has at most three variables");
  // Bounds are computed from the parameters in a separate block; the body can use the variables, but not the bounds.
  Environment bodyNames = names_;
  names_ = Environment(params_.symbols().index());
  names_.push();
  for (size_t i = 0; i < kernel_->paramCount; ++i) {
    const ast::Name &name = decl_.params[i].name;
    const BoundName *bound = bodyNames.find(name.text);
    names_.bind(name.text, {bound->value ? kernel_->gridBlock.param(i) : nullptr, false, name.range});
  }
  builder_.setEnd(kernel_->gridBlock);
  std::vector<GridDim> dims;
  for (const ast::GridVar &var : decl_.grid) {
    GridDim dim;
    dim.lower = lowerIndex(var.lower, "a grid bound");
    dim.upper = lowerIndex(var.upper, "a grid bound");
    builder_.setRange(var.name.range);
    dim.step = var.step ? lowerIndex(*var.step, "a grid step") : builder_.index(1);
    if (var.step && isLiteral(*var.step))
      if (std::optional<int64_t> step = params_.evalInt(*var.step, "a grid step"); step && *step <= 0)
        diagnostics().report(DiagCode::GridRange, var.step->range, "the step of a grid variable must be positive");
    dims.push_back(dim);
  }
  names_ = std::move(bodyNames);
  builder_.setEnd(kernel_->body);
  for (size_t i = 0; i < dims.size(); ++i) {
    const ast::Name &name = decl_.grid[i].name;
    if (const BoundName *other = names_.find(name.text))
      diagnostics()
          .report(DiagCode::DuplicateName, name.range, str("`%", name.text, "` is bound already"))
          .at(other->range, "here");
    dims[i].variable = kernel_->body.addParam(context_.index(), name.text, name.range);
    names_.bind(name.text, {dims[i].variable, true, name.range});
  }
  kernel_->grid = std::move(dims);
}

// Must run before the body is lowered, because some ops have another meaning at lane scope.
bool KernelLowering::lowerLanes() {
  if (!decl_.lanes) return true;
  std::optional<int64_t> lanes = params_.evalInt(*decl_.lanes, "a number of lanes");
  if (!lanes) return false;
  if (*lanes < 1 || *lanes > kMostLanes) {
    diagnostics().report(DiagCode::AttributeValue, decl_.lanes->range,
                         str("a subgroup has 1 to ", kMostLanes, " lanes, not ", *lanes));
    return false;
  }
  kernel_->scope = Scope::Lane;
  kernel_->lanes = lanes_ = *lanes;
  return true;
}

// False has been reported.
bool KernelLowering::fitsLaneScope() {
  if (kernel_->scope != Scope::Lane) return true;
  if (kernel_->subgroups * kernel_->lanes > kMostWorkItems) {
    diagnostics().report(
        DiagCode::AttributeValue, decl_.lanes->range,
        str("a workgroup has at most ", kMostWorkItems, " lanes, not ", kernel_->subgroups, " subgroups of ", kernel_->lanes));
    return false;
  }
  const Value *held = nullptr;
  walk(kernel_->body, [&](Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i) {
      Type type = op.result(i)->type();
      if (!held && (type.isVector() || type.isTile()) && type.layout()) held = op.result(i);
    }
  });
  SourceRange range = held ? held->range() : SourceRange();
  if (!held && !written_.operands.empty()) range = written_.operands[0].place.range;
  if (!held && !written_.pairs.empty()) range = written_.pairs[0].ranges[0];
  if (!range.file) return true;
  diagnostics()
      .report(DiagCode::NotHere, range, "a layout has no meaning at lane scope")
      .note("a vector at lane scope belongs to one lane; the sg_map of a tensor_desc assigns the elements of a block to lanes");
  return false;
}

void KernelLowering::finish() {
  std::optional<int64_t> subgroups;
  if (decl_.subgroups) {
    subgroups = params_.evalInt(*decl_.subgroups, "a number of subgroups");
    if (!subgroups) return;
    if (*subgroups < 1 || *subgroups > kMostSubgroups) {
      diagnostics().report(DiagCode::AttributeValue, decl_.subgroups->range,
                           str("a workgroup has 1 to ", kMostSubgroups, " subgroups, not ", *subgroups));
      return;
    }
    kernel_->subgroups = *subgroups;
    kernel_->subgroupsWritten = true;
  }
  if (!fitsLaneScope() || !blocksStandAlone()) return;
  written_.aliases = state_.aliases;
  written_.sources = &state_.sources;
  if (!inferLayouts(*kernel_, context_, written_, diagnostics())) return;
  if (subgroups && *subgroups != kernel_->subgroups) {
    diagnostics()
        .report(DiagCode::SubgroupCounts, decl_.subgroups->range,
                str("`subgroups(", *subgroups, ")`, but the layouts of this kernel have ", kernel_->subgroups, " subgroups"))
        .fix(str("write `", kernel_->subgroups, "`"), decl_.subgroups->range, str(kernel_->subgroups));
    return;
  }
  for (const ast::Name &form : decl_.forms) {
    if (form.text == kWorkgroupScopeText)
      kernel_->scope = Scope::Workgroup;
    else if (std::optional<Form> known = findForm(form.text))
      kernel_->forms.add(*known);
    else
      diagnostics().report(DiagCode::UnknownAttribute, form.range, str("unknown form `", form.text, "`"));
  }
  checkPlaces();
}

// XeGPU blocks and slices of vectors belong to one subgroup and have no layout that distributes them over the workgroup, so
// they cannot appear in a kernel with layouts. False has been reported.
bool KernelLowering::blocksStandAlone() {
  const Op *block = nullptr;
  bool layouts = !written_.operands.empty() || !written_.pairs.empty();
  walk(kernel_->body, [&](Op &op) {
    bool windows = false;
    for (size_t i = 0; i < op.resultCount(); ++i) {
      windows |= op.result(i)->type().isTensorDesc();
      layouts |= (op.result(i)->type().isVector() || op.result(i)->type().isTile()) && op.result(i)->type().layout();
    }
    bool slices = op.kind() == OpKind::ExtractStridedSlice || op.kind() == OpKind::InsertStridedSlice;
    if (((windows && op.info().dialect == Dialect::XeGpu) || slices) && !block) block = &op;
  });
  if (!block || !layouts) return true;
  diagnostics()
      .report(DiagCode::NotHere, block->range(), str("`", block->info().name, "` has no meaning at workgroup scope"))
      .note("layouts appear in this kernel, so the whole workgroup executes each op; blocks, lanes and parts of vectors belong "
            "to one subgroup");
  return false;
}

void KernelLowering::checkPlaces() {
  walk(kernel_->body, [&](Op &op) {
    if (op.kind() == OpKind::SubgroupId && kernel_->scope == Scope::Workgroup)
      diagnostics()
          .report(DiagCode::NotHere, op.range(), "`subgroup_id` has no meaning at workgroup scope")
          .note("layouts appear in this kernel, so the whole workgroup executes each op");
    if (op.kind() == OpKind::BlockId && !kernel_->grid.empty()) {
      BlockIdDimension dimension = BlockIdOp(op).dimension();
      auto index = static_cast<size_t>(dimension);
      if (index >= kernel_->grid.size())
        diagnostics().report(DiagCode::NotHere, op.range(),
                             str("the grid of this kernel has ", kernel_->grid.size(), " dimension",
                                 kernel_->grid.size() == 1 ? "" : "s", ", so there is no block_id ", wordText(dimension)));
    }
    if (op.kind() == OpKind::AllocSlm && op.block() != &kernel_->body)
      diagnostics()
          .report(DiagCode::NotHere, op.range(), "`alloc_slm` must be at the top level of a kernel, not in a loop or a branch")
          .note("a buffer exists from the start of the workgroup to its end");
  });
  checkBarriers();
}

// Reports barriers under divergent control flow: if subgroups reach a barrier different numbers of times, the kernel
// deadlocks. The same holds for collective ops if the lanes of a subgroup diverge.
void KernelLowering::checkBarriers() {
  if (kernel_->scope == Scope::Workgroup) return;
  bool lanes = kernel_->scope == Scope::Lane;
  std::unordered_set<const Value *> divergent = divergentValues(*kernel_), ofLanes;
  if (lanes) ofLanes = divergentValues(*kernel_, Among::Subgroup);
  walk(kernel_->body, [&](Op &op) {
    bool barrier = op.kind() == OpKind::Barrier;
    if (!barrier && !(lanes && op.info().collective)) return;
    if (!barrier && !laneAgrees(op, ofLanes)) return;
    for (const Op *around = op.block()->parentOp(); around; around = around->block()->parentOp())
      if (divergesAt(*around, barrier ? divergent : ofLanes)) {
        bool ofLane = lanes && divergesAt(*around, ofLanes);
        diagnostics()
            .report(DiagCode::DivergentBarrier, op.range(),
                    barrier ? str("not all ", ofLane ? "lanes" : "subgroups", " reach this barrier")
                            : str("not all lanes of a subgroup reach this `", op.info().name, "`"))
            .at(around->range(), str("this `", around->info().name, "` depends on the ", ofLane ? "lane" : "subgroup"))
            .note(barrier
                      ? str("a barrier waits for every ", lanes ? "lane" : "subgroup",
                            " of the workgroup: move it out of what depends on `", ofLane ? "lane_id()" : "subgroup_id()", "`")
                      : str("the lanes of a subgroup execute it together: move it out of what depends on `lane_id()`"));
        return;
      }
  });
}

// Whether all lanes of a subgroup have the same descriptor for a block that they access together. False has been reported.
bool KernelLowering::laneAgrees(const Op &op, const std::unordered_set<const Value *> &divergent) {
  for (size_t i = 0; i < op.operandCount(); ++i) {
    if (!op.operand(i)->type().isTensorDesc() || !divergent.contains(op.operand(i))) continue;
    diagnostics()
        .report(DiagCode::NotHere, op.operandRange(i),
                str("the tensor_desc of `", op.info().name, "` differs from lane to lane"))
        .withLabel("depends on `lane_id()`")
        .note("the lanes of a subgroup access one block together; its sg_map assigns elements to lanes");
    return false;
  }
  return true;
}

} // namespace xt
