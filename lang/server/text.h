// Converts positions in a text between byte offsets, which the server uses, and the protocol's lines and columns, which
// count UTF-8 or UTF-16 units.
#pragma once
#include "lang/server/json.h"

#include <cstdint>
#include <vector>

namespace xt::lsp {

enum class Encoding : uint8_t { Utf8, Utf16 };

struct Span { // bytes, half open
  uint32_t begin = 0, end = 0;
  bool operator==(const Span &) const = default;
  auto operator<=>(const Span &) const = default;
};

class Text {
public:
  Text() : Text(std::string()) {}
  explicit Text(std::string text);
  const std::string &str() const { return text_; }
  uint32_t size() const { return static_cast<uint32_t>(text_.size()); }
  uint32_t lineCount() const { return static_cast<uint32_t>(lineStarts_.size()); }
  uint32_t lineOf(uint32_t offset) const; // from 0
  uint32_t lineStart(uint32_t line) const { return lineStarts_[line]; }
  uint32_t lineEnd(uint32_t line) const;  // without its line break

  // A position beyond the end of a line or of the text means that end; a position inside a character means its start.
  uint32_t offset(const Json &position, Encoding encoding) const;
  Span span(const Json &range, Encoding encoding) const;
  Json position(uint32_t offset, Encoding encoding) const;
  Json range(Span span, Encoding encoding) const;
  // Length of `text` in code units of the encoding.
  static uint32_t units(std::string_view text, Encoding encoding);

  void replace(Span span, std::string_view with);

private:
  void findLines();
  std::string text_;
  std::vector<uint32_t> lineStarts_;
};

} // namespace xt::lsp
