#include "lang/lower/wide_grid.h"

#include "ir/base/text.h"
#include "ir/constants.h"
#include "ir/interp/scalar_eval.h"
#include "ir/op_kinds.h"
#include "lang/lower/expr_lowering.h"

namespace xt {
namespace {

size_t sharing(const KernelState &state) { return state.decl.grid.size() - kMostGridDimensions + 1; }

// More workgroups than a launch may have. Products are limited to it, so that they neither overflow nor seem to be few.
constexpr int64_t kTooMany = (int64_t{1} << 31) + 1;

// The result of an op on two indices. That of two constants is a constant, as the parser makes it of the printed text.
Value *computed(Builder &builder, OpKind kind, Value *a, Value *b) {
  if (std::optional<int64_t> x = constantInt(*a), y = constantInt(*b); x && y) {
    const Number operands[] = {integerNumber(*x), integerNumber(*y)};
    if (std::optional<Number> result = evaluateScalar({kind, kIndexElem, kIndexElem, ""}, operands))
      return builder.index(result->i);
  }
  return builder.value(kind, {a, b}, builder.context().index());
}

// The number of values of a variable, at most kTooMany; 0 if its range is empty.
Value *countOf(Builder &builder, const GridDim &dim) {
  Value *length = computed(builder, OpKind::SubI, dim.upper, dim.lower);
  Value *positive = computed(builder, OpKind::MaxSI, length, builder.index(0));
  Value *count = computed(builder, OpKind::CeilDivSI, positive, dim.step);
  return computed(builder, OpKind::MinSI, count, builder.index(kTooMany));
}

} // namespace

void bindGridVar(KernelState &state, const ast::Name &name, Value *value) {
  if (const BoundName *other = state.names.find(name.text))
    state.diagnostics()
        .report(DiagCode::DuplicateName, name.range, str("`%", name.text, "` is bound already"))
        .at(other->range, "here");
  state.names.bind(name.text, {value, true, name.range});
}

std::vector<GridDim> sharedDimensions(KernelState &state, const std::vector<GridDim> &dims) {
  Builder &builder = state.builder;
  size_t count = sharing(state);
  Value *combinations = nullptr;
  for (size_t i = 0; i < count; ++i) {
    if (!dims[i].lower || !dims[i].upper || !dims[i].step) { // an error was reported
      state.namesLost = true;
      return {};
    }
    // A launch checks the step of each of its dimensions, but not this one.
    const auto &step = state.decl.grid[i].step;
    if (step && !state.params.evalInt(*step, "the step of a variable that shares a dimension with others")) return {};
    Value *own = countOf(builder, dims[i]);
    if (combinations) own = computed(builder, OpKind::MulI, combinations, own);
    combinations = combinations ? computed(builder, OpKind::MinSI, own, builder.index(kTooMany)) : own;
  }
  std::vector<GridDim> launched(1);
  launched[0].lower = builder.index(0);
  launched[0].upper = combinations;
  launched[0].step = builder.index(1);
  launched.insert(launched.end(), dims.begin() + static_cast<ptrdiff_t>(count), dims.end());
  return launched;
}

void bindSharedVars(KernelState &state, Value *variable) {
  Builder &builder = state.builder;
  Type index = state.context.index();
  Value *left = variable;
  std::vector<Value *> values(sharing(state));
  for (size_t i = values.size(); i-- > 0;) {
    const ast::GridVar &var = state.decl.grid[i];
    GridDim dim;
    dim.lower = lowerIndex(state, var.lower, "a grid bound");
    dim.upper = lowerIndex(state, var.upper, "a grid bound");
    dim.step = var.step ? lowerIndex(state, *var.step, "a grid step") : builder.index(1);
    if (!dim.lower || !dim.upper || !dim.step) { // an error was reported
      state.namesLost = true;
      return;
    }
    builder.setRange(var.name.range);
    Value *position = left;
    if (i != 0) {
      Value *count = countOf(builder, dim);
      position = builder.value(OpKind::RemSI, {left, count}, index);
      left = builder.value(OpKind::DivSI, {left, count}, index);
    }
    Value *offset = builder.value(OpKind::MulI, {position, dim.step}, index);
    values[i] = builder.value(OpKind::AddI, {dim.lower, offset}, index);
    values[i]->setName(var.name.text);
  }
  for (size_t i = 0; i < values.size(); ++i) bindGridVar(state, state.decl.grid[i].name, values[i]);
}

} // namespace xt
