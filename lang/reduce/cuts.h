// Which bytes of a text go when a part of it is cut out, so that what is left can still be read.
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

// The bytes of the part, and beside it the comma of a list, the `x` behind an extent, the `=` behind a result, the line.
TextRange cutOf(std::string_view text, const SourcePart &part);

// The text without some ranges, in any order; they may overlap.
std::string withoutRanges(std::string_view text, std::vector<TextRange> ranges);

// The text with others in the place of some ranges; a range that lies in one before it is left out.
struct Replacement {
  TextRange range;
  std::string text;
};
std::string withReplacements(std::string_view text, std::vector<Replacement> replacements);

// Each line with its end.
std::vector<TextRange> linesOf(std::string_view text);

} // namespace xt
