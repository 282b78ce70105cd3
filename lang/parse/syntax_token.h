// Tokens as lang/parse represents them, with byte offsets, before and after shaping.
#pragma once
#include "ir/base/source.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace xt {

struct SyntaxToken {
  size_t type = 0;             // a token type of XtLexer
  uint32_t begin = 0, end = 0; // bytes; equal for tokens without text
  uint32_t line = 1;           // from 1
  uint32_t column = 0;         // from 0, in code points
  bool firstOnLine = false;
};

// All tokens of a file, the end of file last. The text must be UTF-8. Never fails: text that is no token has type STRAY.
std::vector<SyntaxToken> lex(const SourceFile &source);

} // namespace xt
