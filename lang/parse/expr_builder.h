// Builds expressions from their parse trees. A missing tree gives an expression of kind Error.
#pragma once
#include "lang/parse/tree_text.h"

namespace xt {

class ExprBuilder {
public:
  using P = xtg::XtParser;
  explicit ExprBuilder(const TreeText &tree) : tree_(tree) {}

  ast::Expr expr(P::ExprContext *ctx) const;
  ast::Expr simple(P::SimpleContext *ctx) const;
  ast::Expr call(P::CallContext *ctx) const;
  ast::Expr value(P::ValueContext *ctx) const;
  ast::Expr list(P::ListContext *ctx) const;
  ast::Expr arg(P::ArgContext *ctx, ast::Name *name) const; // sets the name if the argument has one
  ast::Expr indexed(ast::Expr base, const std::vector<P::IndexContext *> &indexes) const;
  ast::Expr number(antlr4::Token *token) const;
  ast::Expr text(antlr4::Token *token) const;

private:
  ast::Expr atom(P::AtomContext *ctx) const;
  ast::Expr unary(antlr4::ParserRuleContext *ctx, antlr4::Token *op, P::ExprContext *operand) const;
  ast::Expr binary(P::ExprContext *ctx) const;

  const TreeText &tree_;
};

} // namespace xt
