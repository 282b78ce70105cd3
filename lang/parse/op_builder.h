// Builds ops from their parse trees: one function for each clause shape.
#pragma once
#include "lang/parse/type_builder.h"

namespace xt {

class OpBuilder {
public:
  using P = xtg::XtParser;
  explicit OpBuilder(const TreeText &tree) : tree_(tree), exprs_(tree), types_(tree) {}

  ast::OpClause op(P::OpContext *ctx) const;

private:
  void operandsOp(P::OperandsOpContext *ctx, ast::OpClause &out) const;
  void baseOp(P::BaseOpContext *ctx, ast::OpClause &out) const;
  void localityOp(P::LocalityOpContext *ctx, ast::OpClause &out) const;
  void kindOp(P::KindOpContext *ctx, ast::OpClause &out) const;
  void dimsOp(P::DimsOpContext *ctx, ast::OpClause &out) const;
  void literalOp(P::LiteralOpContext *ctx, ast::OpClause &out) const;
  void textOp(P::TextOpContext *ctx, ast::OpClause &out) const;
  void dims(P::ListContext *written, ast::OpClause &out) const;
  void dimsOperands(P::DimsOperandsContext *ctx, ast::OpClause &out) const;
  void toLayout(P::ToLayoutContext *ctx, ast::OpClause &out) const;
  void tail(P::OpTailContext *ctx, ast::OpClause &out) const;
  ast::Attr flag(P::FlagContext *ctx) const;
  ast::Expr operand(P::OperandContext *ctx) const;

  const TreeText &tree_;
  ExprBuilder exprs_;
  TypeBuilder types_;
};

} // namespace xt
