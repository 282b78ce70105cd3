#include "ir/elem.h"
#include "lang/server/features.h"

#include <algorithm>

namespace xt::lsp {
namespace {

enum class TokenType : uint8_t { Variable, Parameter, Type, Function, Macro, Keyword, Number, String, Property, EnumMember };

std::optional<TokenType> typeOf(const Piece &piece, size_t i) {
  const std::vector<RoleToken> &tokens = piece.tokens;
  std::string_view text = piece.text;
  const RoleToken &token = tokens[i];
  auto spelled = [&](size_t k) {
    return k < tokens.size() ? text.substr(tokens[k].begin, tokens[k].end - tokens[k].begin) : std::string_view();
  };
  switch (token.role) {
  case TokenRole::SoftWord:
  case TokenRole::Keyword: return TokenType::Keyword;
  case TokenRole::Constructor:
  case TokenRole::TypeAlias: return TokenType::Type;
  case TokenRole::Value: return TokenType::Variable;
  case TokenRole::Alias: return TokenType::Macro;
  case TokenRole::Parameter: return TokenType::Parameter;
  case TokenRole::Symbol: return TokenType::Function;
  case TokenRole::Number: return TokenType::Number;
  case TokenRole::Text: return TokenType::String;
  case TokenRole::Word:
  case TokenRole::Op:
  case TokenRole::DimsOp:
  case TokenRole::Element:
    if (rankWordAt(piece, i)) return TokenType::Keyword;
    if (elemFromName(spelled(i))) return TokenType::Type;
    if (spelled(i + 1) == "=") return TokenType::Property;
    if (i > 0 && spelled(i - 1) == "<" && spelled(i + 1) == ">") return TokenType::EnumMember;
    if (findOp(spelled(i)) || findHostFn(spelled(i), true) || findHostFn(spelled(i), false) || spelled(i + 1) == "(")
      return TokenType::Function;
    return std::nullopt;
  case TokenRole::Comment:
  case TokenRole::Stray:
  case TokenRole::ShapeX:
  case TokenRole::Any:
  case TokenRole::Comma:
  case TokenRole::Colon:
  case TokenRole::Splice:
  case TokenRole::Equals:
  case TokenRole::Arrow:
  case TokenRole::Operator:
  case TokenRole::OpenParen:
  case TokenRole::OpenBracket:
  case TokenRole::OpenExtent:
  case TokenRole::OpenBrace:
  case TokenRole::OpenAngle:
  case TokenRole::OpenBlock:
  case TokenRole::CloseParen:
  case TokenRole::CloseBracket:
  case TokenRole::CloseBrace:
  case TokenRole::CloseAngle:
  case TokenRole::CloseBlock: return std::nullopt;
  }
  return std::nullopt;
}

} // namespace

std::vector<std::string_view> tokenLegend() {
  return {"variable", "parameter", "type", "function", "macro", "keyword", "number", "string", "property", "enumMember"};
}

std::vector<uint32_t> semanticTokens(const Query &query, Span span) {
  std::vector<uint32_t> data;
  uint32_t lastLine = 0, lastColumn = 0;
  const Text &text = query.document.text();
  for (size_t p = query.document.pieceAt(span.begin); p < query.document.pieceCount(); ++p) {
    uint32_t start = query.document.pieceStart(p);
    if (start >= span.end) break;
    Piece &piece = query.document.piece(p);
    const std::vector<RoleToken> &tokens = piece.tokens;
    for (size_t i = 0; i < tokens.size(); ++i) {
      uint32_t begin = start + tokens[i].begin, end = start + tokens[i].end;
      std::optional<TokenType> type = typeOf(piece, i);
      if (!type || end <= span.begin || begin >= span.end) continue;
      uint32_t line = text.lineOf(begin);
      uint32_t column = Text::units(query.document.slice({text.lineStart(line), begin}), query.encoding);
      uint32_t length = Text::units(query.document.slice({begin, end}), query.encoding);
      data.insert(data.end(),
                  {line - lastLine, line == lastLine ? column - lastColumn : column, length, static_cast<uint32_t>(*type), 0});
      lastLine = line;
      lastColumn = column;
    }
  }
  return data;
}

// Keeps the longest common run of whole tokens at each end and replaces everything between them by one edit.
Json tokenEdits(const std::vector<uint32_t> &before, const std::vector<uint32_t> &now) {
  constexpr size_t kToken = 5;
  size_t most = std::min(before.size(), now.size());
  auto same = [&](size_t a, size_t b) {
    return std::equal(before.begin() + static_cast<ptrdiff_t>(a), before.begin() + static_cast<ptrdiff_t>(a + kToken),
                      now.begin() + static_cast<ptrdiff_t>(b));
  };
  size_t head = 0, tail = 0;
  while (head < most && same(head, head)) head += kToken;
  while (tail < most - head && same(before.size() - tail - kToken, now.size() - tail - kToken)) tail += kToken;
  if (head == before.size() && head == now.size()) return Json::array();
  std::vector<uint32_t> data(now.begin() + static_cast<ptrdiff_t>(head), now.end() - static_cast<ptrdiff_t>(tail));
  return Json::array({{{"start", head}, {"deleteCount", before.size() - head - tail}, {"data", std::move(data)}}});
}

} // namespace xt::lsp
