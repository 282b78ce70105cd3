// The one canonical form of a text. README.md says what it looks like.
//  - Only blanks, line breaks and blank lines change, never a word or a comment: the words of the result are compared with
//    those of the text before it is given out.
//  - The result depends on the words, on blank lines and on where comments stand, not on how lines were broken; formatting
//    it again changes nothing.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"

#include <optional>

namespace xt {

struct FormatOptions {
  uint32_t width = 120; // of a line, in code points; comments and single long words may be longer
  // Items (kernels, tests, aliases …) with a syntax error stay as they are, and the others are formatted, as an editor
  // wants it. Otherwise a syntax error is reported and nothing is formatted.
  bool keepBroken = false;
};

// File `index` of `sources`. Syntax errors go to `diagnostics`; names and types are not looked at.
Result<std::string> formatSource(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics,
                                 const FormatOptions &options = {});

// The same as edits of blanks between words, in order and apart from each other. With a range, only those in lines of
// statements that the range touches.
Result<std::vector<TextEdit>> formatEdits(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics,
                                          std::optional<SourceRange> range = std::nullopt,
                                          const FormatOptions &options = {});

} // namespace xt
