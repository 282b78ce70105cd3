// Converts ANTLR's parse tree to the AST. After a syntax error any part of the parse tree may be missing; the AST then omits
// it or has a node of kind Error.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/ast.h"
#include "lang/parse/like_lines.h"
#include "lang/parse/token_stream.h"

#include "XtParser.h"

#include <unordered_map>
#include <unordered_set>

namespace xt {

// Casts a tree to its exact class, or returns null. The classes of rules and labels have no subclasses, so one comparison of
// types suffices; a dynamic_cast would search all base classes.
template <class T> T *as(antlr4::tree::ParseTree *tree) {
  return tree && xtg::isExactly<T>(tree) ? static_cast<T *>(tree) : nullptr;
}

class AstBuilder {
public:
  using P = xtg::XtParser;
  // `like` are the lines that the tree omits because they equal other lines in their token types. To build such a line, moves
  // the tokens of its model in the stream.
  AstBuilder(const SourceFile &source, uint32_t file, RepairTokenStream &stream, const std::vector<LikeLine> &like,
             Diagnostics &diagnostics)
      : text_(source.text()), file_(file), stream_(stream), like_(like), diagnostics_(diagnostics) {}

  ast::File file(P::FileContext *ctx);

private:
  // Declarations (build_items.cc).
  void item(P::ItemContext *ctx, ast::File &out);
  ast::KernelDecl kernel(P::KernelItemContext *ctx);
  void header(P::HeaderContext *ctx, ast::KernelDecl &out);
  ast::ParamDecl param(P::ParamItemContext *ctx);
  ast::TestDecl test(P::TestItemContext *ctx);
  std::vector<ast::SizeDecl> sizes(P::SizesContext *ctx);
  // Statements (build_statements.cc).
  ast::Block block(P::BlockContext *ctx, bool behindDo = false);
  void line(P::LineContext *ctx, ast::Block &out);
  void likeLines(uint32_t end, ast::Block &out); // builds those that begin before byte `end`
  void stmt(P::StmtContext *ctx, ast::Stmt &out);
  void rightHandSide(P::RhsContext *ctx, ast::Stmt &out);
  void forLoop(P::ForLoopContext *ctx, ast::Stmt &out);
  void whileLoop(P::WhileLoopContext *ctx, ast::Stmt &out);
  void iterArgs(P::IterArgsContext *ctx, ast::Stmt &out);
  void iterArgs(const std::vector<P::IterArgContext *> &list, ast::Stmt &out);
  void ifElse(P::IfElseContext *ctx, ast::Stmt &out);
  void exprWithTail(const std::vector<P::AttrGroupContext *> &groups, P::SignatureContext *sig, ast::Stmt &out);
  void droppedToken(antlr4::tree::ParseTree *child, ast::Block &out);
  ast::Block hostBlock(P::HostBlockContext *ctx);
  void hostStmt(P::HostStmtContext *ctx, ast::Stmt &out);
  void buffer(P::BufferStmtContext *ctx, ast::Stmt &out);
  void check(P::CheckStmtContext *ctx, ast::Stmt &out);
  // Ops (build_ops.cc).
  ast::OpClause op(P::OpContext *ctx);
  void operandsOp(P::OperandsOpContext *ctx, ast::OpClause &out);
  void baseOp(P::BaseOpContext *ctx, ast::OpClause &out);
  void localityOp(P::LocalityOpContext *ctx, ast::OpClause &out);
  void kindOp(P::KindOpContext *ctx, ast::OpClause &out);
  void dimsOp(P::DimsOpContext *ctx, ast::OpClause &out);
  void literalOp(P::LiteralOpContext *ctx, ast::OpClause &out);
  void textOp(P::TextOpContext *ctx, ast::OpClause &out);
  void dims(P::ListContext *written, ast::OpClause &out);
  void dimsOperands(P::DimsOperandsContext *ctx, ast::OpClause &out);
  void tail(P::OpTailContext *ctx, ast::OpClause &out);
  ast::Attr flag(P::FlagContext *ctx);
  ast::Expr operand(P::OperandContext *ctx);
  ast::Signature signature(P::SignatureContext *ctx);
  // Expressions (build_exprs.cc).
  ast::Expr expr(P::ExprContext *ctx);
  ast::Expr atom(P::AtomContext *ctx);
  ast::Expr simple(P::SimpleContext *ctx);
  ast::Expr call(P::CallContext *ctx);
  ast::Expr value(P::ValueContext *ctx);
  ast::Expr list(P::ListContext *ctx);
  ast::Expr arg(P::ArgContext *ctx, ast::Name *name);
  ast::Expr indexed(ast::Expr base, const std::vector<P::IndexContext *> &indexes);
  ast::Expr number(antlr4::Token *token);
  ast::Expr text(antlr4::Token *token);
  ast::Expr unary(antlr4::ParserRuleContext *ctx, antlr4::Token *op, P::ExprContext *operand);
  ast::Expr binary(P::ExprContext *ctx);
  // Types and attributes (build_types.cc).
  ast::TypeExpr type(P::TypeContext *ctx);
  ast::TypeExpr shapedType(P::ShapedTypeContext *ctx);
  std::vector<ast::TypeExpr> types(P::TypeListContext *ctx);
  ast::Attr group(P::AttrGroupContext *ctx);
  std::vector<ast::Attr> groups(const std::vector<P::AttrGroupContext *> &list);
  ast::Attr::Entry entry(P::AttrEntryContext *ctx);
  std::vector<ast::Attr::Entry> entries(P::EntriesContext *ctx);
  ast::Attr attr(P::AttrValueContext *ctx);
  ast::Attr layoutAttr(P::LayoutAttrContext *ctx);
  ast::Attr affineMap(P::AffineMapAttrContext *ctx);
  ast::Attr attrOf(ast::Expr value);

  // Ranges and names (ast_builder.cc). A missing token or context has an empty range.
  SourceRange range(antlr4::Token *token) const;
  SourceRange range(antlr4::tree::TerminalNode *node) const { return node ? range(node->getSymbol()) : none(); }
  SourceRange range(antlr4::ParserRuleContext *ctx) const;
  SourceRange none() const { return {file_, 0, 0}; }
  std::string_view slice(SourceRange range) const { return text_.substr(range.begin, range.end - range.begin); }
  ast::Name sigilName(antlr4::tree::TerminalNode *node) const; // without its sigil
  ast::Name boundName(antlr4::tree::TerminalNode *node); // of a value that is bound here
  std::vector<ast::Param> params(P::ParamsContext *ctx);
  ast::Name word(antlr4::ParserRuleContext *ctx) const;
  std::vector<ast::Name> words(const std::vector<P::WordContext *> &list) const;
  std::string unescaped(SourceRange quoted);
  // Whether the rule was not parsed to its end, or error recovery lost a part of its own lines (up to its first block).
  bool broken(antlr4::ParserRuleContext *ctx) const;
  void findLosses();
  void findExceptions(antlr4::ParserRuleContext *ctx);
  Diagnostic &report(DiagCode code, SourceRange where, std::string message) {
    return diagnostics_.report(code, where, std::move(message));
  }

  std::string_view text_;
  bool mistakes_ = false; // the file has syntax errors
  std::vector<uint32_t> losses_; // offsets of errors whose recovery lost tokens, ascending
  std::unordered_set<antlr4::ParserRuleContext *> exceptions_; // rules that were not parsed to their end
  uint32_t file_;
  RepairTokenStream &stream_;
  const std::vector<LikeLine> &like_;
  size_t nextLike_ = 0;
  std::unordered_map<uint32_t, P::LineContext *> models_; // lines by their begin; empty if `like_` is
  Diagnostics &diagnostics_;
};

} // namespace xt
