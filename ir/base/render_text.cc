#include "ir/base/diagnostics.h"
#include "ir/base/reports.h"

#include <algorithm>
#include <map>

namespace xt {

namespace {
constexpr size_t kTabWidth = 4;

// --- colours ---------------------------------------------------------------------------------------------------------
constexpr std::string_view kBold = "\x1b[1m", kRed = "\x1b[1;31m", kYellow = "\x1b[1;33m", kCyan = "\x1b[1;36m",
                           kBlue = "\x1b[1;34m", kReset = "\x1b[0m";

std::string_view severityColour(Severity severity) {
  switch (severity) {
  case Severity::Error: return kRed;
  case Severity::Warning: return kYellow;
  case Severity::Remark: return kCyan;
  }
  return "";
}

// --- one source line as it is shown ----------------------------------------------------------------------------------
struct CodePoint {
  uint32_t value;
  size_t bytes;
};

// The code point at text[i]; a byte that starts no well-formed sequence counts as one replacement character.
CodePoint decode(std::string_view text, size_t i) {
  auto lead = static_cast<unsigned char>(text[i]);
  if (lead < 0x80) return {lead, 1};
  size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || i + length > text.size() || findInvalidUtf8(text.substr(i, length))) return {0xFFFD, 1};
  uint32_t value = lead & (0x7Fu >> length);
  for (size_t k = 1; k < length; ++k) value = (value << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
  return {value, length};
}

struct CodePointRange {
  uint32_t first, last;
};
// Code points that terminals draw two cells wide (the East Asian Wide and Fullwidth blocks, and emoji).
constexpr CodePointRange kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xAC00, 0xD7A3},
                                    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},  {0xFFE0, 0xFFE6},
                                    {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
// Code points that terminals draw on top of the previous character.
constexpr CodePointRange kCombining[] = {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};

size_t cellsOf(uint32_t codePoint) {
  for (CodePointRange range : kCombining)
    if (codePoint >= range.first && codePoint <= range.last) return 0;
  for (CodePointRange range : kWide)
    if (codePoint >= range.first && codePoint <= range.last) return 2;
  return 1;
}

// The maximum length of a line in an excerpt. A longer line is cut around the position of the message.
constexpr size_t kMostLineBytes = 300;

// The start of the character that contains the byte at `at`.
size_t characterStart(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

struct ShownLine {
  std::string text;         // tabs expanded, control characters and bad bytes replaced
  std::vector<size_t> cell; // the cell at which each byte of the source line, and its end, is shown
};

ShownLine showLine(std::string_view source) {
  ShownLine line;
  line.cell.resize(source.size() + 1);
  size_t cell = 0;
  for (size_t i = 0; i < source.size();) {
    auto [value, bytes] = decode(source, i);
    for (size_t k = 0; k < bytes; ++k) line.cell[i + k] = cell;
    if (value == '\t') {
      size_t width = kTabWidth - cell % kTabWidth;
      line.text.append(width, ' ');
      cell += width;
    } else if (value == 0xFFFD || value < 0x20 || (value >= 0x7F && value < 0xA0)) {
      line.text += "\xEF\xBF\xBD"; // also keeps escape sequences in the source from reaching the terminal
      ++cell;
    } else {
      line.text += source.substr(i, bytes);
      cell += cellsOf(value);
    }
    i += bytes;
  }
  line.cell[source.size()] = cell;
  return line;
}

// --- marks under a line ----------------------------------------------------------------------------------------------
struct Mark {
  size_t begin, end; // cells
  bool primary;
  std::string_view text;
};

class TextRenderer {
public:
  TextRenderer(const Diagnostic &diagnostic, const SourceManager &sources, bool color)
      : diagnostic_(diagnostic), sources_(sources), color_(color) {}

  std::string render() {
    out_ = paint(severityColour(diagnostic_.severity),
                 std::string(severityName(diagnostic_.severity)) + "[" + codeText(diagnostic_.code) + "]");
    out_ += paint(kBold, ": " + cutText(diagnostic_.message)) + "\n";
    renderExcerpts();
    for (const std::string &note : diagnostic_.notes) renderNote(note);
    renderIndented(diagnostic_.picture, "  ");
    for (const FixIt &fixit : diagnostic_.fixits) renderFixIt(fixit);
    return std::move(out_);
  }

private:
  struct Place {
    SourceRange range;
    bool primary;
    std::string_view text;
  };

  std::string paint(std::string_view colour, std::string text) const {
    return color_ && !text.empty() ? std::string(colour) + text + std::string(kReset) : text;
  }
  bool hasFile(SourceRange range) const { return range.file != 0 && range.file < sources_.count(); }
  bool hasExcerpt(SourceRange range) const { return hasFile(range) && range.begin <= sources_.file(range.file).text().size(); }

  void renderExcerpts() {
    std::vector<Place> places = {{diagnostic_.range, true, diagnostic_.label}};
    for (const Label &label : diagnostic_.labels) places.push_back({label.range, false, label.text});
    // The primary file first, then the others in the order in which the labels name them.
    std::vector<uint32_t> files;
    uint32_t widest = 0;
    for (const Place &place : places) {
      if (!hasFile(place.range)) continue;
      if (std::find(files.begin(), files.end(), place.range.file) == files.end()) files.push_back(place.range.file);
      if (hasExcerpt(place.range))
        widest = std::max(widest, sources_.file(place.range.file).lineColumn(place.range.begin).line);
    }
    gutter_ = std::to_string(widest).size();
    for (uint32_t file : files) renderFile(file, places);
    for (const Place &place : places)
      if (!hasExcerpt(place.range) && !place.text.empty()) renderNote(place.text);
  }

  void renderFile(uint32_t index, const std::vector<Place> &places) {
    const SourceFile &file = sources_.file(index);
    std::map<uint32_t, std::vector<Place>> byLine;
    const Place *head = nullptr;
    for (const Place &place : places) {
      if (place.range.file != index) continue;
      if (!head) head = &place;
      if (hasExcerpt(place.range)) byLine[file.lineColumn(place.range.begin).line].push_back(place);
    }
    LineColumn where = file.lineColumn(head->range.begin);
    out_ += paint(kBlue, index == diagnostic_.range.file ? "  -->" : "  :::") + " " + file.name() + ":" +
            std::to_string(where.line) + ":" + std::to_string(where.column) + "\n";
    for (const auto &[line, there] : byLine) {
      if (file.lineText(line).size() <= kMostLineBytes)
        renderLine(file, line, there);
      else // one excerpt for each place
        for (const Place &place : there) renderLine(file, line, {place});
    }
  }

  void renderLine(const SourceFile &file, uint32_t number, const std::vector<Place> &places) {
    std::string_view source = file.lineText(number);
    uint32_t start = file.lineStart(number);
    bool before = false, behind = false; // whether text is cut off before and after the excerpt
    if (source.size() > kMostLineBytes) {
      size_t first = places[0].range.begin - std::min<uint32_t>(start, places[0].range.begin);
      size_t begin = characterStart(source, first > kMostLineBytes / 3 ? first - kMostLineBytes / 3 : 0);
      size_t end = characterStart(source, std::min(begin + kMostLineBytes, source.size()));
      before = begin > 0, behind = end < source.size();
      source = source.substr(begin, end - begin);
      start += static_cast<uint32_t>(begin);
    }
    ShownLine shown = showLine(source);
    if (before) {
      shown.text = "…" + shown.text;
      for (size_t &cell : shown.cell) ++cell;
    }
    if (behind) shown.text += "…";
    std::string digits = std::to_string(number);
    startLine(std::string(gutter_ - digits.size(), ' ') + digits);
    endLine(shown.text);

    std::vector<Mark> marks;
    for (const Place &place : places) {
      size_t begin = std::min<size_t>(place.range.begin - start, source.size());
      // A range that continues on the next line is underlined up to the end of its first line.
      size_t end = std::clamp<size_t>(place.range.end > start ? place.range.end - start : 0, begin, source.size());
      size_t first = shown.cell[begin];
      marks.push_back({first, std::max(first + 1, shown.cell[end]), place.primary, place.text});
    }
    renderMarks(marks);
  }

  // Renders the row of carets and dashes. The text of the last mark is on the same row if its mark ends the row. The other
  // texts follow on the rows below, from right to left, with '|' under each mark whose text is still to come.
  void renderMarks(std::vector<Mark> marks) {
    size_t width = 0;
    for (const Mark &mark : marks) width = std::max(width, mark.end);
    std::string row(width, ' ');
    for (bool primary : {false, true})
      for (const Mark &mark : marks)
        if (mark.primary == primary) row.replace(mark.begin, mark.end - mark.begin, mark.end - mark.begin, primary ? '^' : '-');

    std::erase_if(marks, [](const Mark &mark) { return mark.text.empty(); });
    std::stable_sort(marks.begin(), marks.end(), [](const Mark &a, const Mark &b) { return a.begin < b.begin; });
    std::string beside;
    if (!marks.empty() && marks.back().end == width) {
      beside = " " + cutText(marks.back().text);
      marks.pop_back();
    }
    startLine(std::string(gutter_, ' '));
    endLine(paintMarks(row) + beside);
    while (!marks.empty()) {
      Mark last = marks.back();
      marks.pop_back();
      std::string lead(last.begin, ' ');
      for (const Mark &mark : marks)
        if (mark.begin < last.begin) lead[mark.begin] = '|';
      startLine(std::string(gutter_, ' '));
      endLine(paint(kBlue, lead) + cutText(last.text));
    }
  }

  std::string paintMarks(const std::string &row) const {
    if (!color_) return row;
    std::string text;
    for (size_t i = 0; i < row.size();) {
      size_t end = std::min(row.find_first_not_of(row[i], i), row.size());
      std::string run = row.substr(i, end - i);
      text += row[i] == '^' ? paint(severityColour(diagnostic_.severity), run) : row[i] == '-' ? paint(kBlue, run) : run;
      i = end;
    }
    return text;
  }

  void startLine(const std::string &gutter) { out_ += paint(kBlue, gutter + " |"); }
  void endLine(std::string_view text) {
    size_t end = text.find_last_not_of(' ');
    if (end != std::string_view::npos) out_ += " " + std::string(text.substr(0, end + 1));
    out_ += '\n';
  }

  void renderNote(std::string_view whole) {
    std::string text = cutText(whole);
    size_t first = std::min(text.find('\n'), text.size());
    out_ += "  " + paint(kBlue, "=") + " " + paint(kBold, "note") + ": " + text.substr(0, first) + "\n";
    if (first < text.size()) renderIndented(std::string_view(text).substr(first + 1), "          ");
  }

  void renderIndented(std::string_view text, std::string_view indent) {
    while (!text.empty()) {
      size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      if (!line.empty()) out_ += std::string(indent) + std::string(line);
      out_ += '\n';
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void renderFixIt(const FixIt &fixit) {
    out_ += "  " + paint(kCyan, "help") + ": " + cutText(fixit.title);
    std::string blocks;
    const char *separator = ": ";
    for (const TextEdit &edit : fixit.edits) {
      // The title already contains the replacement, as in "insert `,`".
      if (edit.replacement.empty() || fixit.title.find(edit.replacement) != std::string::npos) continue;
      if (edit.replacement.find('\n') != std::string::npos) {
        blocks += edit.replacement;
        if (blocks.back() != '\n') blocks += '\n';
        continue;
      }
      out_ += separator + std::string("`") + cutText(edit.replacement) + "`";
      separator = ", ";
    }
    out_ += '\n';
    renderIndented(blocks, "      ");
  }

  const Diagnostic &diagnostic_;
  const SourceManager &sources_;
  bool color_;
  size_t gutter_ = 1; // digits of the largest line number
  std::string out_;
};
} // namespace

std::string_view severityName(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Remark: return "remark";
  }
  return "";
}

std::string renderText(const Diagnostic &diagnostic, const SourceManager &sources, bool color) {
  return TextRenderer(diagnostic, sources, color).render();
}

std::string renderText(const Diagnostics &diagnostics, const SourceManager &sources, bool color) {
  std::string text;
  ShownDiagnostics shown = shownOf(diagnostics, kMostShownToPeople);
  for (const Diagnostic *diagnostic : shown.list) {
    if (!text.empty()) text += '\n';
    text += renderText(*diagnostic, sources, color);
  }
  if (!shown.rest.empty()) text += "\n" + shown.rest + "\n";
  return text;
}

} // namespace xt
