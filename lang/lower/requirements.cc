#include "lang/lower/requirements.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/header_ops.h"
#include "ir/interp/header_values.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "lang/lower/expr_lowering.h"

namespace xt {
namespace {

constexpr std::string_view kSameShape = "same_shape";
constexpr size_t kMostHeaderOps = 1000; // of one expression, in which an op counts each time that its value is used

// The arrays that `same_shape` is given; empty if one of them is none, or has another rank, which has been reported.
std::vector<Value *> comparedArrays(KernelState &state, const ast::Expr &call) {
  std::vector<Value *> arrays;
  for (const ast::Expr &argument : call.children) {
    Value *array = lowerExpr(state, argument);
    if (!array) return {};
    if (!array->type().isMemRef()) {
      state.diagnostics().report(DiagCode::OperandType, argument.range,
                                 str("`", kSameShape, "` takes memrefs, but this is ", shapedText(array->type())));
      return {};
    }
    if (!arrays.empty() && array->type().rank() != arrays[0]->type().rank()) {
      state.diagnostics().report(DiagCode::OperandType, argument.range,
                                 str("`", kSameShape, "` takes memrefs of one rank, but this has ",
                                     counted(array->type().rank(), "dimension"), " and the first has ",
                                     arrays[0]->type().rank()));
      return {};
    }
    arrays.push_back(array);
  }
  return arrays;
}

// Whether a launch has the values that the parameters have here. A kernel is also checked with those that the file declares,
// which launches may replace; IR that was printed has these in place of the parameters, and forms.
bool isLaunched(const KernelState &state) {
  if (state.kernel->name != state.decl.name.text) return true;
  return !state.params.symbols().readsParams() && state.decl.forms.empty();
}

// Adds the conditions that one expression of the clause states, unless no launch could satisfy one of them.
void addRequirements(KernelState &state, std::span<Value *const> conditions, SourceRange range) {
  for (Value *condition : conditions) {
    std::optional<Number> holds = constantInHeader(*condition);
    if (holds && holds->i == 0 && isLaunched(state)) {
      std::string why = whyNot(*condition, [](const Value &side) { return constantInHeader(side)->i; });
      state.diagnostics().report(DiagCode::GridRange, range, str("no launch satisfies this requirement: ", why));
      return;
    }
    state.kernel->requirements.push_back({condition, range});
  }
}

} // namespace

bool isSameShape(const ast::Expr &expr) {
  return expr.kind == ast::Expr::Kind::Call && !expr.symbolCall && expr.text == kSameShape;
}

std::optional<std::vector<Value *>> lowerSameShape(KernelState &state, const ast::Expr &call) {
  std::vector<Value *> arrays = comparedArrays(state, call), conditions;
  if (arrays.size() < 2) {
    if (arrays.size() == call.children.size())
      state.diagnostics().report(DiagCode::OperandCount, call.range, str("`", kSameShape, "` takes two memrefs or more"));
    return std::nullopt;
  }
  Builder &b = state.builder;
  b.setRange(call.range);
  auto extent = [&](Value *array, int d) { return b.value(OpKind::Dim, {array, b.index(d)}, state.context.index()); };
  for (size_t i = 1; i < arrays.size(); ++i)
    for (int d = 0; d < arrays[0]->type().rank(); ++d) {
      conditions.push_back(b.value(OpKind::CmpI, {extent(arrays[i], d), extent(arrays[0], d)}, state.context.scalar(Elem::I1)));
      CmpIOp(*conditions.back()->definingOp()).setKind(CmpIKind::Eq);
    }
  return conditions;
}

void lowerRequirements(KernelState &state) {
  for (const ast::Expr &condition : state.decl.requirements) {
    if (isSameShape(condition)) {
      addRequirements(state, lowerSameShape(state, condition).value_or(std::vector<Value *>()), condition.range);
    } else if (Value *holds = lowerCondition(state, condition, "requires")) {
      if (fitsHeader(state, *holds, condition.range, "a requirement")) addRequirements(state, {&holds, 1}, condition.range);
    }
  }
}

bool fitsHeader(KernelState &state, const Value &value, SourceRange range, std::string_view what) {
  std::vector<const Value *> left = {&value};
  for (size_t seen = 0; !left.empty(); ++seen) {
    const Op *op = left.back()->definingOp();
    left.pop_back();
    if (!op) continue;
    if (!isHeaderOp(*op)) {
      state.diagnostics()
          .report(DiagCode::NotHere, range,
                  str(what, " is computed before the launch: it takes constants, extents, strides and arithmetic on scalars"))
          .at(op->range(), str("`", op->info().name, "` runs in the kernel"));
      return false;
    }
    if (seen > kMostHeaderOps) {
      state.diagnostics().report(DiagCode::NotSupported, range, str(what, " has more than ", kMostHeaderOps, " operations"));
      return false;
    }
    left.insert(left.end(), op->operands().begin(), op->operands().end());
  }
  return true;
}

} // namespace xt
