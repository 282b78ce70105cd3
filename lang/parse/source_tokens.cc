#include "lang/parse/source_tokens.h"

#include "lang/parse/shape_tokens.h"
#include "lang/parse/token_scan.h"

#include "XtLexer.h"

#include <algorithm>

namespace xt {
namespace {

using L = xtg::XtLexer;

// Scans the blanks and comments between two tokens. Appends the comments to `out` and returns the number of line breaks
// between the last comment, or the first token, and the second token.
uint32_t takeGap(std::string_view text, uint32_t begin, uint32_t end, std::vector<SourceToken> &out) {
  uint32_t newLines = 0;
  for (uint32_t i = begin; i < end; ++i) {
    if (text[i] == '\n') ++newLines;
    if (text[i] != '/' || i + 1 >= end || text[i + 1] != '/') continue;
    size_t lineEnd = std::min<size_t>(text.find('\n', i), end);
    size_t last = text.find_last_not_of(" \t\r", lineEnd - 1);
    out.push_back({TokenRole::Comment, i, static_cast<uint32_t>(last) + 1, newLines});
    newLines = 0;
    i = static_cast<uint32_t>(lineEnd) - 1;
  }
  return newLines;
}

// Whether the bracket at i opens an extent: it follows an `x` in a shape or starts the shape.
bool opensExtent(const std::vector<SyntaxToken> &tokens, size_t i) {
  auto type = [&](size_t back) { return back <= i ? tokens[i - back].type : 0; };
  bool shaped = type(2) == L::TYPE || (type(2) >= L::KW_TILE && type(2) <= L::KW_TENSOR_DESC);
  return type(1) == L::X || (type(1) == L::LT && shaped);
}

} // namespace

std::vector<SourceToken> sourceTokens(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics) {
  const SourceFile &source = sources.file(index);
  std::vector<SyntaxToken> lexed = lex(source);
  std::vector<SyntaxToken> shaped =
      shapeTokens(lexed, source, index, static_cast<uint32_t>(source.text().size()), diagnostics).tokens;
  TokenScan scan(lexed, source.text());
  std::vector<SourceToken> out;
  ItemStarts starts(scan);
  size_t next = 0, lastWord = 0;
  uint32_t at = 0;
  for (size_t i = 0; i < lexed.size(); ++i) {
    const SyntaxToken &token = lexed[i];
    bool end = i + 1 == lexed.size();
    // Skip tokens without text: ends of statements, and tokens inserted by shaping.
    for (; next < shaped.size() && shaped[next].begin == shaped[next].end && shaped[next].type != antlr4::Token::EOF; ++next)
      if (shaped[next].type == L::NL && lastWord < out.size()) out[lastWord].endsStatement = true;
    uint32_t newLines = takeGap(source.text(), at, token.begin, out);
    if (end) break;
    at = token.end;
    size_t type = token.type;
    bool startsItem = starts.next(i);
    bool kept = next < shaped.size() && shaped[next].begin == token.begin;
    if (kept)
      type = shaped[next++].type;
    else if (type == L::LT)
      type = L::LANGLE; // dense<0.0>, whose brackets shaping removes
    else if (type == L::GT)
      type = L::RANGLE;
    bool extent = type == L::LBRACK && opensExtent(lexed, i);
    lastWord = out.size();
    out.push_back({extent ? TokenRole::OpenExtent : roleOf(type), token.begin, token.end, newLines, false,
                   startsItem || (token.firstOnLine && out.empty())});
  }
  return out;
}

} // namespace xt
