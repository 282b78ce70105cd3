// Formats a text into its one canonical form, which README.md describes.
//  - Only blanks, line breaks and blank lines change, never a word or a comment. The words of the result are compared with
//    those of the text before the result is returned.
//  - The result depends on the words, the blank lines and the positions of comments, not on how lines were broken. Formatting
//    the result again changes nothing.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"

#include <optional>

namespace xt {

struct FormatOptions {
  uint32_t width = 120; // maximum width of a line, in code points; comments and single long words may exceed it
  // True: leaves items (kernels, tests, aliases …) with a syntax error unchanged and formats the others, as an editor needs.
  // False: reports a syntax error and formats nothing.
  bool keepBroken = false;
};

// Formats file `index` of `sources`. Syntax errors go to `diagnostics`; names and types are not checked.
Result<std::string> formatSource(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics,
                                 const FormatOptions &options = {});

// Returns the result of formatSource() as edits of the blanks between words, sorted and without overlap. With a range, returns
// only the edits of statements that the range touches.
Result<std::vector<TextEdit>> formatEdits(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics,
                                          std::optional<SourceRange> range = std::nullopt, const FormatOptions &options = {});

} // namespace xt
