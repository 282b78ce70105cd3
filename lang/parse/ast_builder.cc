#include "lang/parse/ast_builder.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {

SourceRange AstBuilder::range(antlr4::Token *token) const {
  if (!token || token->getStartIndex() == INVALID_INDEX) return none();
  return {file_, static_cast<uint32_t>(token->getStartIndex()), static_cast<uint32_t>(token->getStopIndex() + 1)};
}

SourceRange AstBuilder::range(antlr4::ParserRuleContext *ctx) const {
  if (!ctx || !ctx->start) return none();
  SourceRange out = range(ctx->start);
  // The stop token of a rule with errors may be missing or precede the start token.
  if (ctx->stop) out.end = std::max(out.begin, range(ctx->stop).end);
  return out;
}

ast::Name AstBuilder::sigilName(antlr4::tree::TerminalNode *node) const {
  SourceRange where = range(node);
  std::string_view spelled = slice(where);
  constexpr std::string_view kSigils = "%@#!$";
  if (!spelled.empty() && kSigils.find(spelled.front()) != std::string_view::npos) spelled.remove_prefix(1);
  if (spelled.size() >= 2 && spelled.front() == '"') spelled = spelled.substr(1, spelled.size() - 2); // @"quoted"
  return {std::string(spelled), where};
}

ast::Name AstBuilder::boundName(antlr4::tree::TerminalNode *node) {
  ast::Name name = sigilName(node);
  if (size_t at = name.text.find('#'); at != std::string::npos)
    report(DiagCode::SyntaxError, name.range,
           str("`%", name.text, "` is one of several values: `%", name.text.substr(0, at), ":2 = …` binds all of them"));
  return name;
}

ast::Name AstBuilder::word(antlr4::ParserRuleContext *ctx) const {
  SourceRange where = range(ctx);
  return {std::string(slice(where)), where};
}

std::vector<ast::Name> AstBuilder::words(const std::vector<P::WordContext *> &list) const {
  std::vector<ast::Name> out;
  for (P::WordContext *w : list) out.push_back(word(w));
  return out;
}

namespace {

using P = xtg::XtParser;

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

// Collects the rules that were not parsed to their end, and the rules around them up to the innermost block. A block is not
// affected by an incomplete statement in it.
void AstBuilder::findExceptions(antlr4::ParserRuleContext *ctx) {
  for (antlr4::tree::ParseTree *child : ctx->children) {
    auto *rule = dynamic_cast<antlr4::ParserRuleContext *>(child);
    if (!rule) continue;
    findExceptions(rule);
    if (!isBlock(rule) && exceptions_.contains(rule)) exceptions_.insert(ctx);
  }
  if (ctx->exception) exceptions_.insert(ctx);
}

void AstBuilder::findLosses() {
  for (const Diagnostic &d : diagnostics_.all()) {
    if (d.range.file != file_) continue;
    mistakes_ = true;
    if (!isMended(d.code)) losses_.push_back(d.range.begin);
  }
  std::sort(losses_.begin(), losses_.end());
}

bool AstBuilder::broken(antlr4::ParserRuleContext *ctx) const {
  if (!mistakes_) return false; // each exception has been reported as an error
  if (exceptions_.contains(ctx)) return true;
  SourceRange own = range(ctx);
  size_t end = text_.find('\n', own.end);
  auto it = std::lower_bound(losses_.begin(), losses_.end(), own.begin);
  if (it == losses_.end() || *it > end) return false;
  antlr4::ParserRuleContext *block = firstBlock(ctx);
  return !block || *it <= range(block).begin;
}

std::string AstBuilder::unescaped(SourceRange quoted) {
  std::string_view body = slice(quoted);
  if (!body.empty()) body.remove_prefix(1);
  if (!body.empty() && body.back() == '"') body.remove_suffix(1);
  std::string out;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      out += body[i];
      continue;
    }
    switch (body[++i]) {
    case 'n': out += '\n'; break;
    case 't': out += '\t'; break;
    case 'r': out += '\r'; break;
    case '0': out += '\0'; break;
    case '"':
    case '\\': out += body[i]; break;
    default: {
      auto begin = static_cast<uint32_t>(quoted.begin + i); // the backslash: i - 1 in `body`, which begins after the quote
      SourceRange where{file_, begin, begin + 2};
      report(DiagCode::BadEscape, where, str("unknown escape `", slice(where), "`"))
          .note("the escapes are \\n \\t \\r \\0 \\\" and \\\\");
      out += body[i];
    }
    }
  }
  return out;
}

} // namespace xt
