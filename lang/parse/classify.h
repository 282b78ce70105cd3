// The tokens of a text by what they look like, for editors: without a tree, so that broken text has them too.
#pragma once
#include "ir/base/source.h"

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

// In order; comments and blanks are between them. None where the text is not UTF-8.
std::vector<ClassifiedToken> classify(const SourceFile &source);

} // namespace xt
