#include "lang/lower/requirements.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "lang/lower/expr_lowering.h"

namespace xt {
namespace {

constexpr std::string_view kSameShape = "same_shape";

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

void lowerSameShape(KernelState &state, const ast::Expr &call) {
  std::vector<Value *> arrays = comparedArrays(state, call);
  if (arrays.empty()) return;
  if (arrays.size() < 2) {
    state.diagnostics().report(DiagCode::OperandCount, call.range, str("`", kSameShape, "` takes two memrefs or more"));
    return;
  }
  Builder &b = state.builder;
  b.setRange(call.range);
  auto extent = [&](Value *array, int d) { return b.value(OpKind::Dim, {array, b.index(d)}, state.context.index()); };
  for (size_t i = 1; i < arrays.size(); ++i)
    for (int d = 0; d < arrays[0]->type().rank(); ++d) {
      Value *same = b.value(OpKind::CmpI, {extent(arrays[i], d), extent(arrays[0], d)}, state.context.scalar(Elem::I1));
      CmpIOp(*same->definingOp()).setKind(CmpIKind::Eq);
      state.kernel->requirements.push_back({same, call.range});
    }
}

} // namespace

void lowerRequirements(KernelState &state) {
  for (const ast::Expr &condition : state.decl.requirements) {
    if (condition.kind == ast::Expr::Kind::Call && !condition.symbolCall && condition.text == kSameShape) {
      lowerSameShape(state, condition);
    } else if (Value *holds = lowerCondition(state, condition, "requires")) {
      state.kernel->requirements.push_back({holds, condition.range});
    }
  }
}

} // namespace xt
