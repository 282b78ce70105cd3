// Tokens as lang/parse handles them: with byte offsets, before and after the token list is shaped for the parser.
#pragma once
#include "ir/base/source.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace xt {

struct SyntaxToken {
  size_t type = 0;             // of XtLexer
  uint32_t begin = 0, end = 0; // bytes; equal for tokens that no text spells
  uint32_t line = 1;           // from 1
  uint32_t column = 0;         // from 0, in code points
  bool firstOnLine = false;
};

// All tokens of a file, the end of file last. The text must be UTF-8. Never fails: what is no token is of type STRAY.
std::vector<SyntaxToken> lex(const SourceFile &source);

} // namespace xt
