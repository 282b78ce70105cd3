// The words of a text, including comments, each with the role that shaping (shape_tokens.h) determines. For tools that work
// on the text itself, such as the formatter. Does not include ANTLR.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/parse/token_role.h"

namespace xt {

struct SourceToken {
  TokenRole role = TokenRole::Stray;
  uint32_t begin = 0, end = 0; // bytes of the file
  uint32_t newLines = 0;       // line breaks between this token and the preceding one
  bool endsStatement = false;  // the token is the last of its statement or item
  bool startsItem = false;     // a declaration of the file starts here, regardless of earlier errors
};

// All words of file `index`, in order. The text must be UTF-8. Reports errors in words and brackets. The brackets returned are
// those in the text, without repairs, so they balance only if the text has no such errors.
std::vector<SourceToken> sourceTokens(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics);

} // namespace xt
