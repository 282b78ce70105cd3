#include "lang/lower/written_types.h"

#include "ir/base/text.h"
#include "ir/infer/type_rules.h"

namespace xt {

bool hasOpenExtents(Type type) {
  return type && !type.isScalar() && !type.is(TypeKind::NBarrier) && !type.is(TypeKind::Token) && !type.hasStaticShape();
}

Type closedBy(Context &context, Type open, Type actual) {
  if (!hasOpenExtents(open) || !actual || open.kind() != actual.kind() || open.rank() != actual.rank()) return open;
  TypeData data = open.data();
  for (size_t d = 0; d < data.shape.size(); ++d)
    if (data.shape[d] == kDynamic) data.shape[d] = actual.data().shape[d];
  return context.intern(std::move(data));
}

// In the body of a function a `?` may stand in every shape, as in the function's own signature.
Type writtenType(KernelState &state, const ast::TypeExpr &expr) {
  return state.calls.empty() ? state.types.resolve(expr) : state.types.resolveOpen(expr);
}

Type statedType(KernelState &state, const ast::TypeExpr &expr, Type actual) {
  Type written = writtenType(state, expr);
  return state.calls.empty() ? written : closedBy(state.context, written, actual);
}

Type typeForLiterals(KernelState &state, const ast::TypeExpr &expr) {
  Type written = writtenType(state, expr);
  return hasOpenExtents(written) ? Type() : written;
}

bool agreesWith(KernelState &state, const ast::TypeExpr &expr, Type actual, std::string_view what) {
  Type written = statedType(state, expr, actual);
  if (!written) return false;
  if (writtenAgrees(written, actual)) return true;
  state.diagnostics().report(DiagCode::SignatureMismatch, expr.range,
                             str("the signature gives ", shapedText(written), ", but ", what, " is ", shapedText(actual)));
  return false;
}

bool agreesWith(KernelState &state, const std::vector<ast::TypeExpr> &exprs, const std::vector<Value *> &values,
                SourceRange range, std::string_view what) {
  if (exprs.size() != values.size()) {
    state.diagnostics().report(DiagCode::SignatureCount, range,
                               str("the signature lists ", exprs.size(), " type", exprs.size() == 1 ? "" : "s", " for ",
                                   values.size(), " ", what, values.size() == 1 ? "" : "s"));
    return false;
  }
  bool ok = true;
  for (size_t i = 0; i < exprs.size(); ++i)
    ok &= values[i] && agreesWith(state, exprs[i], values[i]->type(), str("the ", what));
  return ok;
}

WrittenLayout layoutPlace(KernelState &state, const ast::TypeExpr &expr) {
  WrittenLayout whole{expr.range, WrittenLayout::Kind::Type};
  if (expr.kind != ast::TypeExpr::Kind::Shaped) return whole;
  WrittenLayout place = whole;
  Diagnostics scratch;
  ParamScope quiet(state.params, scratch);
  TypeResolver resolver(state.context, quiet);
  for (const ast::Attr::Entry &entry : expr.attrs) {
    ShapedAttrs attrs;
    if (!entry.value || !resolver.resolveAttr(*entry.value, attrs) || !attrs.layout) continue;
    bool more = place.kind == WrittenLayout::Kind::InType || attrs.scatter || attrs.packed;
    if (more) return whole;
    place = {entry.value->range, WrittenLayout::Kind::InType, attrs.order.has_value()};
  }
  return place;
}

} // namespace xt
