// Incremental parsing: parses a text that differs little from an already parsed one. In a long kernel, parses only the lines
// that changed.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/ast.h"
#include "lang/parse/syntax_token.h"

namespace xt {

struct ParsedText {
  ast::File tree;
  Diagnostics diagnostics;
  size_t kept = 0; // number of statements reused from `before`
  std::vector<SyntaxToken> lexed; // all tokens, the end of file last; empty if the text is not UTF-8
  // The following members are for a later call, to which this object is passed as `before`.
  std::string_view text;           // points into the source file, which must stay alive
  std::vector<SyntaxToken> shaped;
  std::vector<uint32_t> reported;  // offsets of the errors found by shaping, ascending
  size_t shapingMistakes = 0;      // how many of the first diagnostics are from shaping
};

// Parses the first `limit` bytes of a file, where an item must end. The text after them is used only as look-ahead, for
// example by messages that quote what follows the item. `before` is the result for a similar text, or null; it does not
// change the result.
ParsedText parseText(const SourceManager &sources, uint32_t index, uint32_t limit, const ParsedText *before);

} // namespace xt
