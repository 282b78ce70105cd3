// The tokens of a text by what they look like, for editors: without a tree, so that broken text has them too.
#pragma once
#include "lang/parse/syntax_token.h"

namespace xt {

enum class TokenClass : uint8_t {
  Keyword,     // kernel, for, launch …
  Word,        // any other name without a sigil: ops, functions, attribute keys, element types
  Constructor, // tile, vector, memref, tensor_desc
  Value,       // %x
  Alias,       // #x
  TypeAlias,   // !x
  Param,       // $x
  Symbol,      // @x
  Number,
  Text,
  Punctuation,
  Stray
};

struct ClassifiedToken {
  TokenClass cls;
  uint32_t begin, end; // bytes
  bool firstOnLine;
};

// Those of lex(), in order, that begin before byte `limit`; comments and blanks are between them.
std::vector<ClassifiedToken> classify(const std::vector<SyntaxToken> &tokens, uint32_t limit);

} // namespace xt
