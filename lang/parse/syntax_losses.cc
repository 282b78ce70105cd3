#include "lang/parse/syntax_losses.h"

#include <algorithm>

namespace xt {

using P = xtg::XtParser;

namespace {

// Whether an error was repaired with certainty, so that nothing was lost. (A superfluous comma, '=' or bracket may indicate
// lost text.)
bool isMended(DiagCode code) {
  switch (code) {
  case DiagCode::MissingColon:
  case DiagCode::MissingSigil:
  case DiagCode::MisspeltKeyword:
  case DiagCode::UnclosedBlock:
  case DiagCode::MissingBlock:
  case DiagCode::Semicolon: return true;
  default: return false;
  }
}

bool isBlock(antlr4::tree::ParseTree *tree) { return as<P::BlockContext>(tree) || as<P::HostBlockContext>(tree); }

// The first block in a rule, where the lines of its header end.
antlr4::ParserRuleContext *firstBlock(antlr4::ParserRuleContext *ctx) {
  for (antlr4::tree::ParseTree *child : ctx->children)
    if (auto *rule = dynamic_cast<antlr4::ParserRuleContext *>(child)) {
      if (isBlock(rule)) return rule;
      if (antlr4::ParserRuleContext *inner = firstBlock(rule)) return inner;
    }
  return nullptr;
}

} // namespace

SyntaxLosses::SyntaxLosses(const TreeText &tree, antlr4::ParserRuleContext *file) : tree_(tree) {
  for (const Diagnostic &d : tree.diagnostics().all()) {
    if (d.range.file != tree.file()) continue;
    mistakes_ = true;
    if (!isMended(d.code)) losses_.push_back(d.range.begin);
  }
  std::sort(losses_.begin(), losses_.end());
  if (mistakes_ && file) findExceptions(file);
}

// Collects the rules that were not parsed to their end, and the rules around them up to the innermost block. A block is not
// affected by an incomplete statement in it.
void SyntaxLosses::findExceptions(antlr4::ParserRuleContext *ctx) {
  for (antlr4::tree::ParseTree *child : ctx->children) {
    auto *rule = dynamic_cast<antlr4::ParserRuleContext *>(child);
    if (!rule) continue;
    findExceptions(rule);
    if (!isBlock(rule) && exceptions_.contains(rule)) exceptions_.insert(ctx);
  }
  if (ctx->exception) exceptions_.insert(ctx);
}

bool SyntaxLosses::broken(antlr4::ParserRuleContext *ctx) const {
  if (!mistakes_) return false; // each exception has been reported as an error
  if (exceptions_.contains(ctx)) return true;
  SourceRange own = tree_.range(ctx);
  size_t end = tree_.text().find('\n', own.end);
  auto it = std::lower_bound(losses_.begin(), losses_.end(), own.begin);
  if (it == losses_.end() || *it > end) return false;
  antlr4::ParserRuleContext *block = firstBlock(ctx);
  return !block || *it <= tree_.range(block).begin;
}

void addDroppedToken(const TreeText &tree, antlr4::tree::ParseTree *child, ast::Block &out) {
  antlr4::tree::TerminalNode *node = xtg::terminal(child);
  if (!node) return;
  size_t type = node->getSymbol()->getType();
  SourceRange where = tree.range(node);
  if (type == P::LBLOCK || type == P::NL || (type == P::RBLOCK && where.end == out.range.end)) return;
  bool goesOn = !out.stmts.empty() && out.stmts.back().kind == ast::Stmt::Kind::Error &&
                tree.slice({tree.file(), out.stmts.back().range.end, where.begin}).find('\n') == std::string_view::npos;
  if (goesOn) {
    out.stmts.back().range.end = where.end;
    return;
  }
  out.stmts.emplace_back().range = where;
}

} // namespace xt
