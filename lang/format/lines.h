// A text as lines, before blanks are added that align them.
#pragma once
#include "lang/format/pieces.h"

#include <string>

namespace xt {

struct FormatLine {
  uint32_t indent = 0; // blanks
  std::string text;    // empty where the line holds a comment only
  std::string comment; // behind the text
  bool blankBefore = false;
  bool opensBlock = false, closesBlock = false;
  bool continues = false;      // a further line of a statement
  bool commentContinues = false; // its comment goes on with the one of the line above, below it
  bool verbatim = false;       // as it was, with its blanks
  uint32_t bind = 0;           // code points before the '=' of a binding that fits on this line; 0: none
  bool ownsBlock = false;      // the item or statement that starts here has a block

  bool onlyComment() const { return text.empty(); }
};

inline constexpr uint32_t kIndent = 2, kContinuationIndent = 4;

// Code points.
uint32_t widthOf(std::string_view text);

// Breaks the words of a statement into lines no wider than `width` where they can be.
std::vector<FormatLine> breakLines(std::span<const Piece> pieces, uint32_t indent, uint32_t width);

// Adds the blanks that align '=' and comments of lines that follow each other.
void alignLines(std::vector<FormatLine> &lines, uint32_t width);

// With one line break behind each; at most one blank line between two.
std::string joinLines(const std::vector<FormatLine> &lines);

} // namespace xt
