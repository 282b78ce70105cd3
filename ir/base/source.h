// Source files and ranges in them. A range is half open and counts bytes of the file's UTF-8 text.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

struct SourceRange {
  uint32_t file = 0; // index into SourceManager
  uint32_t begin = 0;
  uint32_t end = 0;

  bool operator==(const SourceRange &) const = default;
  // The range from the start of this one to the end of `last`, which is in the same file.
  SourceRange to(SourceRange last) const { return {file, begin, last.end}; }
  SourceRange startPoint() const { return {file, begin, begin}; }
  SourceRange endPoint() const { return {file, end, end}; }
};

struct LineColumn {
  uint32_t line = 1;   // from 1
  uint32_t column = 1; // from 1, in code points
};

enum class SourceOrigin : uint8_t {
  File,      // a file, or an editor's version of one
  Generated, // a text of a tool, which the user cannot look up: its positions have line numbers only if an excerpt is shown
};

class SourceFile {
public:
  SourceFile(std::string name, std::string text, SourceOrigin origin = SourceOrigin::File);
  const std::string &name() const { return name_; } // as the user gave it
  const std::string &text() const { return text_; }
  SourceOrigin origin() const { return origin_; }
  std::string_view slice(SourceRange range) const;
  LineColumn lineColumn(uint32_t offset) const;
  uint32_t lineCount() const { return static_cast<uint32_t>(lineStarts_.size()); }
  // The text of a line without its line break; `line` counts from 1.
  std::string_view lineText(uint32_t line) const;
  uint32_t lineStart(uint32_t line) const { return lineStarts_[line - 1]; }

private:
  std::string name_;
  std::string text_;
  SourceOrigin origin_;
  std::vector<uint32_t> lineStarts_;
};

// Owns the files of one compilation. File 0 always exists and is empty; ranges in it belong to things without source text.
class SourceManager {
public:
  SourceManager();
  uint32_t add(std::string name, std::string text, SourceOrigin origin = SourceOrigin::File);
  const SourceFile &file(uint32_t index) const { return files_[index]; }
  uint32_t count() const { return static_cast<uint32_t>(files_.size()); }

private:
  std::deque<SourceFile> files_;
};

// The first byte offset at which `text` is not valid UTF-8; nullopt if it is valid.
std::optional<size_t> findInvalidUtf8(std::string_view text);

} // namespace xt
