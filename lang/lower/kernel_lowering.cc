#include "lang/lower/kernel_lowering.h"

#include "ir/base/text.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/op_kinds.h"
#include "lang/lower/checked_types.h"
#include "lang/lower/early_return.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/general_tiles.h"
#include "lang/lower/joint_matrices.h"
#include "lang/lower/memory_orders.h"
#include "lang/lower/requirements.h"
#include "lang/lower/scope_checks.h"
#include "lang/lower/simt.h"
#include "lang/lower/slice_forms.h"
#include "lang/lower/wide_grid.h"

#include <algorithm>

namespace xt {
namespace {

// The largest number of lanes in a subgroup on GPUs.
constexpr int64_t kMostLanes = 64;

void lowerParams(KernelState &state) {
  for (const ast::Generic &generic : state.decl.generics)
    state.diagnostics().report(DiagCode::NotHere, generic.name.range, "only functions are generic: declare a `param`");
  for (const ast::Param &param : state.decl.params) {
    if (!param.isValue())
      state.diagnostics().report(DiagCode::KernelParameter, param.name.range,
                                 str("only functions take ", param.isFunction ? "functions" : "layouts"));
    Type type = param.isValue() ? state.types.resolve(param.type) : Type();
    if (type && !type.isMemRef() && !type.isScalar()) {
      state.diagnostics().report(DiagCode::KernelParameter, param.type.range,
                                 str("a kernel takes memrefs and scalars, not ", shapedText(type)));
      type = {};
    }
    if (type && type.isMemRef() && type.data().space == MemorySpace::Slm) {
      state.diagnostics().report(DiagCode::KernelParameter, param.type.range,
                                 "shared local memory belongs to a workgroup and cannot be a parameter");
      type = {};
    }
    if (const BoundName *other = state.names.find(param.name.text))
      state.diagnostics()
          .report(DiagCode::DuplicateName, param.name.range, str("parameter `%", param.name.text, "` is declared twice"))
          .at(other->range, "first here");
    // Bind a parameter with an invalid type to null, so that its uses report nothing.
    Value *value = state.kernel->body.addParam(type ? type : state.context.index(), param.name.text, param.name.range);
    state.kernel->gridBlock.addParam(value->type(), param.name.text, param.name.range);
    state.names.bind(param.name.text, {type ? value : nullptr, false, param.name.range});
  }
  state.kernel->paramCount = state.decl.params.size();
}

void lowerHeader(KernelState &state) {
  if (state.decl.grid.size() > kMostGridVars) {
    state.diagnostics().report(DiagCode::GridRange, state.decl.grid[kMostGridVars].name.range,
                               str("a grid has at most ", kMostGridVars, " variables"));
    return;
  }
  bool shared = state.decl.grid.size() > kMostGridDimensions;
  // Bounds and requirements are computed from the parameters in a separate block; the body can use the variables, but not the bounds.
  Environment bodyNames = state.names;
  state.names = Environment(state.params.symbols().index());
  state.names.push();
  for (size_t i = 0; i < state.kernel->paramCount; ++i) {
    const ast::Name &name = state.decl.params[i].name;
    const BoundName *bound = bodyNames.find(name.text);
    state.names.bind(name.text, {bound->value ? state.kernel->gridBlock.param(i) : nullptr, false, name.range});
  }
  state.builder.setEnd(state.kernel->gridBlock);
  std::vector<GridDim> dims;
  for (const ast::GridVar &var : state.decl.grid) {
    GridDim dim;
    dim.lower = lowerIndex(state, var.lower, "a grid bound");
    dim.upper = lowerIndex(state, var.upper, "a grid bound");
    state.builder.setRange(var.name.range);
    dim.step = var.step ? lowerIndex(state, *var.step, "a grid step") : state.builder.index(1);
    if (var.step && isLiteral(*var.step))
      if (std::optional<int64_t> step = state.params.evalInt(*var.step, "a grid step"); step && *step <= 0)
        state.diagnostics().report(DiagCode::GridRange, var.step->range, "the step of a grid variable must be positive");
    const std::pair<Value *, SourceRange> bounds[] = {
        {dim.lower, var.lower.range}, {dim.upper, var.upper.range}, {dim.step, var.step ? var.step->range : var.name.range}};
    for (const auto &[bound, range] : bounds)
      if (bound && !fitsHeader(state, *bound, range, "a bound of the grid")) state.poisoned = true;
    dims.push_back(dim);
  }
  if (shared) dims = sharedDimensions(state, dims);
  lowerRequirements(state);
  state.names = std::move(bodyNames);
  state.builder.setEnd(state.kernel->body);
  size_t first = state.decl.grid.size() - dims.size(); // the number of variables that share a dimension, less 1
  for (size_t i = 0; i < dims.size(); ++i) {
    const ast::Name &name = state.decl.grid[first + i].name;
    bool several = shared && i == 0;
    dims[i].variable = state.kernel->body.addParam(state.context.index(), several ? "shared" : name.text, name.range);
    if (several)
      bindSharedVars(state, dims[0].variable);
    else
      bindGridVar(state, name, dims[i].variable);
  }
  state.kernel->grid = std::move(dims);
}

// Reads the number of lanes; returns false if an error was reported. Must run before the body is lowered, because some ops have
// another meaning at lane scope.
bool lowerLanes(KernelState &state) {
  if (!state.decl.lanes) return true;
  std::optional<int64_t> lanes = state.params.evalInt(*state.decl.lanes, "a number of lanes");
  if (!lanes) return false;
  if (*lanes < 1 || *lanes > kMostLanes) {
    state.diagnostics().report(DiagCode::AttributeValue, state.decl.lanes->range,
                               str("a subgroup has 1 to ", kMostLanes, " lanes, not ", *lanes));
    return false;
  }
  state.kernel->scope = Scope::Lane;
  state.kernel->lanes = state.lanes = *lanes;
  return true;
}

// Reads the number of subgroups, and reports it if it is invalid. Must run before the body is lowered, because layouts with
// virtual subgroups depend on it. The layouts of the form `subgroup_tiles` are those of lanes.
void lowerSubgroups(KernelState &state) {
  if (!state.decl.subgroups) return;
  std::optional<int64_t> subgroups = state.params.evalInt(*state.decl.subgroups, "a number of subgroups");
  if (!subgroups) return;
  if (*subgroups < 1 || *subgroups > kMostSubgroups) {
    state.diagnostics().report(DiagCode::AttributeValue, state.decl.subgroups->range,
                               str("a workgroup has 1 to ", kMostSubgroups, " subgroups, not ", *subgroups));
    return;
  }
  state.subgroups = state.kernel->subgroups = *subgroups;
  state.kernel->subgroupsWritten = true;
  bool lanes =
      std::ranges::any_of(state.decl.forms, [](const auto &form) { return findForm(form.text) == Form::SubgroupTiles; });
  if (!lanes) state.types.setSubgroups(subgroups);
}

// Must run before layouts are inferred: the form `subgroup_tiles` says that they are layouts of lanes.
void lowerForms(KernelState &state) {
  for (const ast::Name &form : state.decl.forms) {
    if (form.text == kWorkgroupScopeText) continue;
    if (std::optional<Form> known = findForm(form.text))
      state.kernel->forms.add(*known);
    else
      state.diagnostics().report(DiagCode::UnknownAttribute, form.range, str("unknown form `", form.text, "`"));
  }
}

// Gives the results of `select` and `insert` the layouts of lanes that their operands have: their text states the types of the
// operands only. Other ops state that of the result, and at workgroup scope layouts are inferred.
void restoreLaneLayouts(KernelState &state) {
  if (!state.kernel->forms.has(Form::SubgroupTiles)) return;
  walk(state.kernel->body, [&](Op &op) {
    if (op.kind() != OpKind::Select && op.kind() != OpKind::Insert) return;
    Type operand = op.operand(1)->type(), result = op.result()->type();
    if (operand.isVector() && result.isVector() && !result.layout())
      op.result()->setType(state.context.withLayout(result, operand.layout()));
  });
}

void finish(KernelState &state) {
  lowerForms(state);
  restoreLaneLayouts(state);
  if (NameIndex *index = state.params.symbols().index()) index->keepWrittenTypes();
  makeTypesPlain(state.context, *state.kernel);
  if (!expandGeneralTiles(state)) return;
  expandSlices(state);
  state.written.aliases = state.file.aliases;
  state.written.sources = &state.file.sources;
  if (!fitsScope(state.decl, *state.kernel, state.written, state.diagnostics())) return;
  if (!inferLayouts(*state.kernel, state.context, state.written, state.diagnostics()) || !fragmentsFit(state) ||
      !matricesFitScope(state))
    return;
  if (state.subgroups && *state.subgroups != state.kernel->subgroups) {
    state.diagnostics()
        .report(DiagCode::SubgroupCounts, state.decl.subgroups->range,
                str("`subgroups(", *state.subgroups, ")`, but the layouts of this kernel have ", state.kernel->subgroups,
                    " subgroups"))
        .fix(str("write `", state.kernel->subgroups, "`"), state.decl.subgroups->range, str(state.kernel->subgroups));
    return;
  }
  for (const ast::Name &form : state.decl.forms)
    if (form.text == kWorkgroupScopeText) state.kernel->scope = Scope::Workgroup;
  expandMemoryOrders(state);
  checkPlaces(*state.kernel, state.file.sources, state.diagnostics());
}

} // namespace

std::unique_ptr<Kernel> lowerKernel(Context &context, ParamScope &params, FileState &file, const ast::KernelDecl &decl,
                                    std::string name) {
  KernelState state(context, params, file, decl, std::move(name));
  size_t before = state.diagnostics().errorCount();
  auto failed = [&] { return state.diagnostics().errorCount() != before || state.poisoned; };
  state.names.push();
  lowerParams(state);
  lowerSubgroups(state);
  if (lowerLanes(state)) {
    lowerHeader(state);
    lowerKernelBody(state, decl.body);
    // Infer layouts only if the kernel has no other errors, since those would cause further layout errors.
    if (!failed()) finish(state);
  }
  state.names.pop();
  if (NameIndex *index = params.symbols().index()) index->settle();
  return failed() ? nullptr : std::move(state.kernel);
}

} // namespace xt
