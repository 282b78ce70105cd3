#include "ir/base/source.h"

#include <algorithm>
#include <cstring>

namespace xt {

SourceFile::SourceFile(std::string name, std::string text, SourceOrigin origin)
    : name_(std::move(name)), text_(std::move(text)), origin_(origin) {
  lineStarts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') lineStarts_.push_back(static_cast<uint32_t>(i + 1));
}

std::string_view SourceFile::slice(SourceRange range) const {
  size_t begin = std::min<size_t>(range.begin, text_.size());
  size_t end = std::clamp<size_t>(range.end, begin, text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

LineColumn SourceFile::lineColumn(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  auto next = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  auto line = static_cast<uint32_t>(next - lineStarts_.begin());
  uint32_t column = 1;
  for (uint32_t i = lineStarts_[line - 1]; i < offset; ++i)
    if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) ++column;
  return {line, column};
}

std::string_view SourceFile::lineText(uint32_t line) const {
  uint32_t begin = lineStarts_[line - 1];
  size_t end = line < lineStarts_.size() ? lineStarts_[line] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return std::string_view(text_).substr(begin, end - begin);
}

SourceManager::SourceManager() { files_.emplace_back("<built-in>", ""); }

uint32_t SourceManager::add(std::string name, std::string text, SourceOrigin origin) {
  files_.emplace_back(std::move(name), std::move(text), origin);
  return static_cast<uint32_t>(files_.size() - 1);
}

namespace {
// The length of the well-formed sequence at text[i] (Unicode 15, table 3-7), or 0.
size_t utf8Length(std::string_view text, size_t i) {
  auto byte = [&](size_t k) { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u; };
  auto follows = [&](size_t k) { return (byte(k) & 0xC0) == 0x80; };
  unsigned b = byte(0);
  if (b < 0x80) return 1;
  if (b >= 0xC2 && b <= 0xDF) return follows(1) ? 2 : 0;
  if (b >= 0xE0 && b <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    if (b == 0xE0 && byte(1) < 0xA0) return 0;
    if (b == 0xED && byte(1) > 0x9F) return 0; // surrogates
    return 3;
  }
  if (b >= 0xF0 && b <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (b == 0xF0 && byte(1) < 0x90) return 0;
    if (b == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}
} // namespace

std::optional<size_t> findInvalidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    uint64_t eight = 0; // most texts are ASCII, so eight bytes are checked at once
    if (text.size() - i >= sizeof eight) std::memcpy(&eight, text.data() + i, sizeof eight);
    if (text.size() - i >= sizeof eight && !(eight & 0x8080808080808080u)) {
      i += sizeof eight;
      continue;
    }
    size_t length = utf8Length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

} // namespace xt
