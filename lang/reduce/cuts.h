// Determines which bytes to remove with a part of a text, so that the rest still parses.
#pragma once
#include "lang/parse/source_parts.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

struct TextRange {
  size_t begin, end;
  bool operator==(const TextRange &) const = default;
};

// Returns the bytes of the part together with its separator: the comma of a list, the `x` after an extent, or the `=` after a
// result. For an item or statement that is alone on its lines, these are the whole lines.
TextRange cutOf(std::string_view text, const SourcePart &part);

// The text without the given ranges, which may be in any order and may overlap.
std::string withoutRanges(std::string_view text, std::vector<TextRange> ranges);

struct Replacement {
  TextRange range;
  std::string text;
};
// Returns the text with ranges replaced by other texts. Skips a range that begins inside an earlier one.
std::string withReplacements(std::string_view text, std::vector<Replacement> replacements);

// The lines of the text, each with its line break.
std::vector<TextRange> linesOf(std::string_view text);

} // namespace xt
