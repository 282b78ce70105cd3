#include "lang/server/text.h"

#include <algorithm>
#include <cstring>

namespace xt::lsp {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Code units of the character that starts with byte `first`. In UTF-16, a character outside the Basic Multilingual Plane,
// which takes four bytes in UTF-8, has two.
uint32_t unitsOf(char first, Encoding encoding, uint32_t bytes) {
  if (encoding == Encoding::Utf8) return bytes;
  return static_cast<unsigned char>(first) >= 0xF0 ? 2 : 1;
}

uint32_t bytesAt(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && continues(text[end])) ++end;
  return static_cast<uint32_t>(end - at);
}

} // namespace

Text::Text(std::string text) : text_(std::move(text)) { findLines(); }

void Text::findLines() {
  lineStarts_.assign(1, 0);
  const char *begin = text_.data(), *end = begin + text_.size();
  for (const char *at = begin; at < end;) {
    auto *found = static_cast<const char *>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
    if (!found) break;
    at = found + 1;
    lineStarts_.push_back(static_cast<uint32_t>(at - begin));
  }
}

uint32_t Text::lineOf(uint32_t offset) const {
  auto next = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  return static_cast<uint32_t>(next - lineStarts_.begin()) - 1;
}

uint32_t Text::lineEnd(uint32_t line) const {
  uint32_t end = line + 1 < lineCount() ? lineStarts_[line + 1] - 1 : size();
  return end > lineStarts_[line] && text_[end - 1] == '\r' && line + 1 < lineCount() ? end - 1 : end;
}

uint32_t Text::offset(const Json &position, Encoding encoding) const {
  int64_t line = intOf(member(position, "line")), column = intOf(member(position, "character"));
  if (line < 0) return 0;
  if (line >= lineCount()) return size();
  uint32_t at = lineStart(static_cast<uint32_t>(line)), end = lineEnd(static_cast<uint32_t>(line));
  for (int64_t units = 0; at < end;) {
    uint32_t bytes = bytesAt(text_, at);
    units += unitsOf(text_[at], encoding, bytes);
    if (units > column) break;
    at += bytes;
  }
  return at;
}

Span Text::span(const Json &range, Encoding encoding) const {
  uint32_t begin = offset(member(range, "start"), encoding), end = offset(member(range, "end"), encoding);
  return {begin, std::max(begin, end)};
}

uint32_t Text::units(std::string_view text, Encoding encoding) {
  uint32_t count = 0;
  for (size_t at = 0; at < text.size();) {
    uint32_t bytes = bytesAt(text, at);
    count += unitsOf(text[at], encoding, bytes);
    at += bytes;
  }
  return count;
}

Json Text::position(uint32_t offset, Encoding encoding) const {
  offset = std::min(offset, size());
  uint32_t line = lineOf(offset);
  uint32_t begin = lineStart(line), end = std::max(begin, std::min(offset, lineEnd(line)));
  return {{"line", line}, {"character", units(std::string_view(text_).substr(begin, end - begin), encoding)}};
}

Json Text::range(Span span, Encoding encoding) const {
  return {{"start", position(span.begin, encoding)}, {"end", position(std::max(span.begin, span.end), encoding)}};
}

void Text::replace(Span span, std::string_view with) {
  text_.replace(span.begin, span.end - span.begin, with);
  findLines();
}

} // namespace xt::lsp
