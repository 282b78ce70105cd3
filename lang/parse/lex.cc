#include "lang/parse/syntax_token.h"

#include "lang/parse/edge_cache.h"

#include "XtLexer.h"

namespace xt {
namespace {

// The byte offset of each code point, since ANTLR counts code points. Empty for ASCII text, where both are equal.
std::vector<uint32_t> byteOffsets(std::string_view text) {
  bool ascii = true;
  for (char c : text) ascii &= static_cast<unsigned char>(c) < 0x80;
  if (ascii) return {};
  std::vector<uint32_t> offsets;
  for (size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) offsets.push_back(static_cast<uint32_t>(i));
  offsets.push_back(static_cast<uint32_t>(text.size()));
  return offsets;
}

} // namespace

std::vector<SyntaxToken> lex(const SourceFile &source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string_view text = source.text();
  uint32_t skipped = 0;
  if (text.starts_with(kByteOrderMark)) {
    skipped = static_cast<uint32_t>(kByteOrderMark.size());
    text.remove_prefix(skipped);
  }
  std::vector<uint32_t> offsets = byteOffsets(text);
  auto byteOf = [&](size_t codePoint) {
    return skipped + (offsets.empty() ? static_cast<uint32_t>(codePoint) : offsets[codePoint]);
  };

  antlr4::ANTLRInputStream input(source.text()); // skips the byte order mark itself
  xtg::XtLexer lexer(&input);
  lexer.removeErrorListeners();
  keepEdges(lexer);
  std::vector<SyntaxToken> tokens;
  uint32_t lastLine = 0;
  for (;;) {
    SyntaxToken out = lexer.next();
    out.firstOnLine = out.line != lastLine;
    if (out.type == antlr4::Token::EOF) {
      out.begin = out.end = static_cast<uint32_t>(source.text().size());
      tokens.push_back(out);
      return tokens;
    }
    out.begin = byteOf(out.begin);
    out.end = byteOf(out.end);
    lastLine = out.line;
    tokens.push_back(out);
  }
}

} // namespace xt
