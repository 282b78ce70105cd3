#include "lang/reduce/cuts.h"

#include <algorithm>

namespace xt {
namespace {

bool isBlank(char c) { return c == ' ' || c == '\t'; }
bool isSpace(char c) { return isBlank(c) || c == '\n' || c == '\r'; }

size_t afterSpaces(std::string_view text, size_t at) {
  while (at < text.size() && isSpace(text[at])) ++at;
  return at;
}
size_t beforeSpaces(std::string_view text, size_t at) {
  while (at > 0 && isSpace(text[at - 1])) --at;
  return at;
}

// Extends a range by the comma after it, or for the last element of a list by the comma before it.
TextRange withComma(std::string_view text, TextRange range) {
  size_t next = afterSpaces(text, range.end), before = beforeSpaces(text, range.begin);
  if (next < text.size() && text[next] == ',') return {range.begin, afterSpaces(text, next + 1)};
  if (before > 0 && text[before - 1] == ',') return {before - 1, range.end};
  return range;
}

// Extends a range by the next character that is not blank, if that character is `word`.
TextRange withNext(std::string_view text, TextRange range, char word) {
  size_t next = afterSpaces(text, range.end);
  return next < text.size() && text[next] == word ? TextRange{range.begin, afterSpaces(text, next + 1)} : range;
}

// Extends a range to whole lines if they contain nothing else.
TextRange withLine(std::string_view text, TextRange range) {
  size_t begin = range.begin, end = range.end;
  while (begin > 0 && isBlank(text[begin - 1])) --begin;
  while (end < text.size() && (isBlank(text[end]) || text[end] == '\r')) ++end;
  bool whole = (begin == 0 || text[begin - 1] == '\n') && (end == text.size() || text[end] == '\n');
  return whole ? TextRange{begin, std::min(end + 1, text.size())} : range;
}

} // namespace

TextRange cutOf(std::string_view text, const SourcePart &part) {
  TextRange range{part.begin, part.end};
  switch (part.kind) {
  case PartKind::Item:
  case PartKind::Statement: return withLine(text, range);
  case PartKind::Extent: return withNext(text, range, 'x');
  case PartKind::Result: {
    TextRange list = withComma(text, range);
    return list == range ? withNext(text, range, '=') : list;
  }
  case PartKind::Operand:
  case PartKind::Attribute:
  case PartKind::Type: return withComma(text, range);
  case PartKind::Block:
  case PartKind::OpName:
  case PartKind::Expr:
  case PartKind::Number:
  case PartKind::Element:
  case PartKind::Signature:
  case PartKind::Attributes:
  case PartKind::Mapping: return range;
  }
  return range;
}

std::string withReplacements(std::string_view text, std::vector<Replacement> replacements) {
  std::stable_sort(replacements.begin(), replacements.end(),
                   [](const Replacement &a, const Replacement &b) { return a.range.begin < b.range.begin; });
  std::string out;
  size_t at = 0;
  for (const Replacement &each : replacements) {
    if (each.range.begin < at) continue;
    out += text.substr(at, each.range.begin - at);
    out += each.text;
    at = each.range.end;
  }
  return out += text.substr(at);
}

std::string withoutRanges(std::string_view text, std::vector<TextRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](TextRange a, TextRange b) { return a.begin < b.begin; });
  std::string out;
  size_t at = 0;
  for (TextRange range : ranges) {
    if (range.begin > at) out += text.substr(at, range.begin - at);
    at = std::max(at, range.end);
  }
  return out += text.substr(at);
}

std::vector<TextRange> linesOf(std::string_view text) {
  std::vector<TextRange> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back({begin, end});
    begin = end;
  }
  return lines;
}

} // namespace xt
