// Builds the statements of kernels and functions from their parse trees.
#pragma once
#include "lang/parse/like_lines.h"
#include "lang/parse/op_builder.h"
#include "lang/parse/syntax_losses.h"
#include "lang/parse/token_stream.h"

#include <unordered_map>

namespace xt {

class StatementBuilder {
public:
  using P = xtg::XtParser;
  // `like`: the lines that the tree omits because other lines have the same token types (like_lines.h). To build such a line,
  // moves the tokens of its model in `stream` to the position of the line.
  StatementBuilder(const TreeText &tree, const SyntaxLosses &losses, RepairTokenStream &stream,
                   const std::vector<LikeLine> &like)
      : tree_(tree), losses_(losses), exprs_(tree), types_(tree), ops_(tree), stream_(stream), like_(like) {}

  ast::Block block(P::BlockContext *ctx, bool behindDo = false);

private:
  void line(P::LineContext *ctx, ast::Block &out);
  void likeLines(uint32_t end, ast::Block &out); // builds the lines of `like_` that begin before byte `end`
  void stmt(P::StmtContext *ctx, ast::Stmt &out);
  void rightHandSide(P::RhsContext *ctx, ast::Stmt &out);
  // Builds an op, a loop or an `if`, which is a statement of its own or the right side of `=`. The grammar has a rule for each
  // of these two cases; the template arguments are the contexts of its alternatives.
  template <class OpPart, class ForPart, class WhilePart, class IfPart>
  void compound(antlr4::ParserRuleContext *ctx, ast::Stmt &out);
  void results(P::ResultsContext *ctx, ast::Stmt &out);
  void valuesAndSignature(P::ValuesContext *values, P::SignatureContext *sig, ast::Stmt &out);
  void exprWithTail(const std::vector<P::AttrGroupContext *> &groups, P::SignatureContext *sig, ast::Stmt &out);
  void forLoop(P::ForLoopContext *ctx, ast::Stmt &out);
  void whileLoop(P::WhileLoopContext *ctx, ast::Stmt &out);
  void iterArgs(P::IterArgsContext *ctx, ast::Stmt &out);
  void iterArgs(const std::vector<P::IterArgContext *> &list, ast::Stmt &out);
  void ifElse(P::IfElseContext *ctx, ast::Stmt &out);

  const TreeText &tree_;
  const SyntaxLosses &losses_;
  ExprBuilder exprs_;
  TypeBuilder types_;
  OpBuilder ops_;
  RepairTokenStream &stream_;
  const std::vector<LikeLine> &like_;
  size_t nextLike_ = 0;
  std::unordered_map<uint32_t, P::LineContext *> models_; // lines of the tree by their begin; empty if `like_` is empty
};

} // namespace xt
