// Builds tests from their parse trees.
#pragma once
#include "lang/parse/syntax_losses.h"
#include "lang/parse/type_builder.h"

namespace xt {

class TestBuilder {
public:
  using P = xtg::XtParser;
  TestBuilder(const TreeText &tree, const SyntaxLosses &losses) : tree_(tree), losses_(losses), exprs_(tree), types_(tree) {}

  ast::TestDecl test(P::TestItemContext *ctx) const;
  ast::KernelDecl function(P::HostFunctionItemContext *ctx) const;

private:
  std::vector<ast::SizeDecl> sizes(P::SizesContext *ctx) const;
  ast::Block hostBlock(P::HostBlockContext *ctx) const;
  void hostStmt(P::HostStmtContext *ctx, ast::Stmt &out) const;
  void launch(P::LaunchStmtContext *ctx, ast::Stmt &out) const;
  void result(P::ExprContext *value, ast::Stmt &out) const;
  void loop(P::LaunchLoopStmtContext *ctx, ast::Stmt &out) const;
  void save(P::SaveStmtContext *ctx, ast::Stmt &out) const;
  void check(P::CheckStmtContext *ctx, ast::Stmt &out) const;
  void communicate(P::CommunicateStmtContext *ctx, ast::Stmt &out) const;
  void aboutRanks(ast::Stmt::Kind kind, antlr4::tree::TerminalNode *word, antlr4::tree::TerminalNode *buffer,
                  P::HostArgsContext *args, ast::Stmt &out) const;
  ast::Expr bufferName(antlr4::tree::TerminalNode *name) const;
  void buffer(P::BufferStmtContext *ctx, ast::Stmt &out) const;
  ast::Expr keywordCall(P::InitializerContext *ctx, antlr4::tree::TerminalNode *keyword, std::string text,
                        ast::Maybe<ast::Expr> arg) const;

  const TreeText &tree_;
  const SyntaxLosses &losses_;
  ExprBuilder exprs_;
  TypeBuilder types_;
};

} // namespace xt
