// Builds types and attributes from their parse trees. Each contains the other: types have attributes such as layouts, and the
// value of an attribute may be a type.
#pragma once
#include "lang/parse/expr_builder.h"

namespace xt {

class TypeBuilder {
public:
  using P = xtg::XtParser;
  explicit TypeBuilder(const TreeText &tree) : tree_(tree), exprs_(tree) {}

  ast::TypeExpr type(P::TypeContext *ctx) const;
  ast::TypeExpr shapedType(P::ShapedTypeContext *ctx) const;
  std::vector<ast::TypeExpr> types(P::TypeListContext *ctx) const;
  std::vector<ast::Param> params(P::ParamsContext *ctx) const;
  ast::Signature signature(P::SignatureContext *ctx) const;
  ast::Attr group(P::AttrGroupContext *ctx) const;
  std::vector<ast::Attr> groups(const std::vector<P::AttrGroupContext *> &list) const;
  ast::Attr attr(P::AttrValueContext *ctx) const;
  ast::Attr layoutAttr(P::LayoutAttrContext *ctx) const;
  static ast::Attr attrOf(ast::Expr value);

private:
  ast::Extent extent(P::ExtentContext *ctx) const;
  ast::TypeExpr element(P::ShapeContext *ctx) const;
  ast::Attr::Entry entry(P::AttrEntryContext *ctx) const;
  std::vector<ast::Attr::Entry> entries(P::EntriesContext *ctx) const;
  ast::Attr affineMap(P::AffineMapAttrContext *ctx) const;
  ast::Attr factor(P::AttrItemContext *ctx, ast::Attr extent) const;

  const TreeText &tree_;
  ExprBuilder exprs_;
};

} // namespace xt
