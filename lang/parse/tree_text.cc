#include "lang/parse/tree_text.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {

SourceRange TreeText::range(antlr4::Token *token) const {
  if (!token || token->getStartIndex() == INVALID_INDEX) return none();
  return {file_, static_cast<uint32_t>(token->getStartIndex()), static_cast<uint32_t>(token->getStopIndex() + 1)};
}

SourceRange TreeText::range(antlr4::ParserRuleContext *ctx) const {
  if (!ctx || !ctx->start) return none();
  SourceRange out = range(ctx->start);
  // The stop token of a rule with errors may be missing or precede the start token.
  if (ctx->stop) out.end = std::max(out.begin, range(ctx->stop).end);
  return out;
}

ast::Name TreeText::sigilName(antlr4::tree::TerminalNode *node) const {
  SourceRange where = range(node);
  std::string_view spelled = slice(where);
  constexpr std::string_view kSigils = "%@#!$";
  if (!spelled.empty() && kSigils.find(spelled.front()) != std::string_view::npos) spelled.remove_prefix(1);
  if (spelled.size() >= 2 && spelled.front() == '"') spelled = spelled.substr(1, spelled.size() - 2); // @"quoted"
  return {std::string(spelled), where};
}

ast::Name TreeText::boundName(antlr4::tree::TerminalNode *node) const {
  ast::Name name = sigilName(node);
  if (size_t at = name.text.find('#'); at != std::string::npos)
    report(DiagCode::SyntaxError, name.range,
           str("`%", name.text, "` is one of several values: `%", name.text.substr(0, at), ":2 = …` binds all of them"));
  return name;
}

ast::Name TreeText::word(antlr4::ParserRuleContext *ctx) const {
  SourceRange where = range(ctx);
  return {std::string(slice(where)), where};
}

std::vector<ast::Name> TreeText::words(const std::vector<xtg::XtParser::WordContext *> &list) const {
  std::vector<ast::Name> out;
  for (xtg::XtParser::WordContext *w : list) out.push_back(word(w));
  return out;
}

std::string TreeText::unescaped(SourceRange quoted) const {
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
