#include "lang/parse/syntax_token.h"

#include "lang/parse/edge_cache.h"

#include "XtLexer.h"

#include <set>

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

// Joins the tokens of a name that MLIR gives to a negative constant: %c-1_i32, or %c-1 for an index. The latter is a difference
// unless an earlier line of the same kernel or function binds it as a name.
void joinNegativeNames(std::vector<SyntaxToken> &tokens, std::string_view text) {
  using L = xtg::XtLexer;
  std::set<std::string_view> bound;
  auto spelled = [&](const SyntaxToken &first, const SyntaxToken &last) {
    return text.substr(first.begin, last.end - first.begin);
  };
  size_t out = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    SyntaxToken token = tokens[i];
    if (token.firstOnLine && (token.type == L::KW_KERNEL || token.type == L::KW_FUNC || token.type == L::KW_TEST))
      bound.clear();
    bool negative = token.type == L::VALUE && i + 3 < tokens.size() && tokens[i + 1].type == L::MINUS &&
                    tokens[i + 2].type == L::INT && token.end == tokens[i + 1].begin &&
                    tokens[i + 1].end == tokens[i + 2].begin && spelled(token, token) == "%c";
    if (negative) {
      size_t last = i + 2;
      const SyntaxToken &suffix = tokens[i + 3];
      if (suffix.type == L::WORD && suffix.begin == tokens[last].end && text[suffix.begin] == '_') last = i + 3;
      std::string_view name = spelled(token, tokens[last]);
      if (token.firstOnLine && tokens[last + 1].type == L::EQ) bound.insert(name);
      if (last == i + 3 || bound.contains(name)) {
        token.end = tokens[last].end;
        i = last;
      }
    }
    tokens[out++] = token;
  }
  tokens.resize(out);
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
      joinNegativeNames(tokens, source.text());
      return tokens;
    }
    out.begin = byteOf(out.begin);
    out.end = byteOf(out.end);
    lastLine = out.line;
    tokens.push_back(out);
  }
}

} // namespace xt
