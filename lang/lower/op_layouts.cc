#include "lang/lower/op_layouts.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"

namespace xt {
namespace {

// Resolves two layouts, each as that of the operand and as that of the result. Layout inference decides which of the two is the
// operand's. Returns false after reporting an error.
bool layoutPair(KernelState &state, size_t operand, Type result, OpDraft &draft) {
  const std::vector<const ast::Attr *> &layouts = draft.layoutAttrs;
  LayoutPair pair{nullptr, operand, {}, {}, {layouts[0]->range, layouts[1]->range}};
  Diagnostics scratch;
  ParamScope quiet(state.params, scratch);
  TypeResolver resolver(state.context, quiet);
  resolver.setSubgroups(state.types.subgroups());
  for (size_t k = 0; k < 2; ++k) {
    pair.asOperand[k] = resolver.layoutFor(*layouts[k], draft.operands[operand]->type().shape());
    pair.asResult[k] = resolver.layoutFor(*layouts[k], result.shape());
  }
  if ((pair.asOperand[0] && pair.asResult[1]) || (pair.asOperand[1] && pair.asResult[0])) {
    draft.pair = pair;
    return true;
  }
  // Neither assignment is valid: report the errors of the usual assignment.
  size_t from = draft.info->layoutRule == LayoutRule::Convert ? 1 : 0;
  if (state.types.layoutFor(*layouts[from], draft.operands[operand]->type().shape()))
    state.types.layoutFor(*layouts[1 - from], result.shape());
  return false;
}

} // namespace

bool applyLayouts(KernelState &state, OpDraft &draft, std::vector<Type> &results) {
  const std::vector<const ast::Attr *> &layouts = draft.layoutAttrs;
  if (layouts.empty()) return true;
  bool hasResult = results.size() == 1 && (results[0].isVector() || results[0].isTile());
  std::vector<size_t> operands; // operands that can have layouts
  for (size_t i = 0; i < draft.operands.size(); ++i) {
    Type type = draft.operands[i]->type();
    if (type.isVector() || type.isTile()) operands.push_back(i);
  }
  auto operandLayout = [&](const ast::Attr &attr, size_t i) {
    const Layout *layout = state.types.layoutFor(attr, draft.operands[i]->type().shape());
    if (layout) draft.layouts.push_back({nullptr, i, layout, {attr.range}});
    return layout != nullptr;
  };
  auto resultLayout = [&](const ast::Attr &attr) {
    const Layout *layout = state.types.layoutFor(attr, results[0].shape());
    if (!layout) return false;
    if (results[0].layout() && results[0].layout() != layout) {
      state.diagnostics()
          .report(DiagCode::LayoutAttribute, attr.range, "this layout disagrees with the one that the signature gives")
          .withLabel(layout->text())
          .at(draft.writtenRange, results[0].layout()->text());
      return false;
    }
    results[0] = state.context.withLayout(results[0], layout);
    draft.declared.push_back({attr.range});
    return true;
  };
  if (layouts.size() == 1 && hasResult) return resultLayout(*layouts[0]);
  if (layouts.size() == 1 && !operands.empty()) return operandLayout(*layouts[0], operands.back());
  if (layouts.size() == 3 && draft.info->kind == OpKind::TileMma)
    return operandLayout(*layouts[0], 0) && operandLayout(*layouts[1], 1) && resultLayout(*layouts[2]);
  if (layouts.size() == 2 && hasResult && !operands.empty()) return layoutPair(state, operands[0], results[0], draft);
  state.diagnostics().report(DiagCode::LayoutAttribute, layouts.back()->range,
                             str("`", draft.info->name, "` takes ", hasResult ? "one layout (its result's)" : "no layout",
                                 ", two (operand and result)",
                                 draft.info->kind == OpKind::TileMma ? " or three (a, b, result)" : "", ", not ",
                                 layouts.size()));
  return false;
}

} // namespace xt
