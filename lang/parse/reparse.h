// Parsing a text that differs little from one that has been parsed: of a long kernel only the lines that changed.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/ast.h"
#include "lang/parse/syntax_token.h"

namespace xt {

struct ParsedText {
  ast::File tree;
  Diagnostics diagnostics;
  size_t kept = 0; // statements that were taken over
  std::vector<SyntaxToken> lexed; // the end of file last; none where the text is not UTF-8
  // Kept for the next one.
  std::string_view text;           // of the source, which must live
  std::vector<SyntaxToken> shaped;
  std::vector<uint32_t> reported;  // ascending; where the tokens did not fit
  size_t shapingMistakes = 0;      // the first of the diagnostics
};

// Parses a file's first `limit` bytes, of which an item ends there: what follows is only looked at, as it is by a message
// that says what the item was followed by. `before` is what a similar text gave, or null: what comes out is the same.
ParsedText parseText(const SourceManager &sources, uint32_t index, uint32_t limit, const ParsedText *before);

} // namespace xt
