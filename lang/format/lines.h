// Divides statements into lines, aligns the lines, and joins them.
#pragma once
#include "lang/format/pieces.h"

#include <string>

namespace xt {

struct FormatLine {
  uint32_t indent = 0; // number of blanks
  std::string text;    // empty if the line holds only a comment
  std::string comment; // the comment after the text
  bool blankBefore = false;
  bool opensBlock = false, closesBlock = false;
  bool continues = false;      // not the first line of its statement
  bool commentContinues = false; // the line's comment continues the trailing comment of the line above
  bool verbatim = false;       // copied unchanged, with its blanks
  uint32_t bind = 0;           // code points before the '=' of a binding whose statement fits on this line; 0: none
  bool ownsBlock = false;      // the item or statement that starts on this line has a block

  bool onlyComment() const { return text.empty(); }
};

inline constexpr uint32_t kIndent = 2, kContinuationIndent = 4;

// Width of a text in code points.
uint32_t widthOf(std::string_view text);

// Breaks the words of a statement into lines of at most `width` code points where break positions allow it.
std::vector<FormatLine> breakLines(std::span<const Piece> pieces, uint32_t indent, uint32_t width);

// Aligns the '=' of consecutive bindings, and the comments of consecutive lines, by adding blanks.
void alignLines(std::vector<FormatLine> &lines, uint32_t width);

// Joins the lines, each ended by one line break, with at most one blank line between two of them.
std::string joinLines(const std::vector<FormatLine> &lines);

} // namespace xt
