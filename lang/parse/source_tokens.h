// The words of a text, comments included, each with the role that shaping (shape_tokens.h) gives it: for what works on
// the text itself, such as the formatter. Needs no ANTLR.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/parse/token_role.h"

namespace xt {

struct SourceToken {
  TokenRole role = TokenRole::Stray;
  uint32_t begin = 0, end = 0; // bytes of the file
  uint32_t newLines = 0;       // line breaks between it and the token before
  bool endsStatement = false;  // the statement or item ends behind it
  bool startsItem = false;     // a declaration of the file starts here, whatever was wrong before
};

// All of file `index`, in order. The text must be UTF-8. What is wrong in words and brackets is reported; brackets that are
// missing or left out are those of the text, so they balance only where nothing is.
std::vector<SourceToken> sourceTokens(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics);

} // namespace xt
