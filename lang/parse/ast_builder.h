// Converts ANTLR's parse tree to the AST. After a syntax error any part of the parse tree may be missing; the AST then omits
// it or has a node of kind Error.
#pragma once
#include "lang/parse/statement_builder.h"
#include "lang/parse/test_builder.h"

namespace xt {

// Builds the items of one file. Other builders build the statements, tests, expressions and types in them.
class AstBuilder {
public:
  using P = xtg::XtParser;
  // See StatementBuilder for `stream` and `like`.
  AstBuilder(const TreeText &tree, const SyntaxLosses &losses, RepairTokenStream &stream, const std::vector<LikeLine> &like)
      : tree_(tree), losses_(losses), exprs_(tree), types_(tree), statements_(tree, losses, stream, like),
        tests_(tree, losses) {}

  ast::File file(P::FileContext *ctx);

private:
  void item(P::ItemContext *ctx, ast::File &out);
  ast::ParamDecl param(P::ParamItemContext *ctx) const;
  ast::KernelDecl kernel(P::KernelItemContext *ctx);
  void header(P::HeaderContext *ctx, ast::KernelDecl &out) const;

  const TreeText &tree_;
  const SyntaxLosses &losses_;
  ExprBuilder exprs_;
  TypeBuilder types_;
  StatementBuilder statements_;
  TestBuilder tests_;
};

} // namespace xt
