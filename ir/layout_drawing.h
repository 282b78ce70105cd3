// Drawings of who owns what: text for terminals, SVG for documents and editors.
#pragma once
#include "ir/layout.h"

namespace xt {

struct DrawingOptions {
  bool lanes = false;     // also the lanes of subgroup 0
  bool registers = false; // also the registers of its first lane
  bool color = false;     // ANSI colours in text; SVG always has them
};

// A colour for an id, the same on every machine: light enough for black numbers, and apart from those of the ids around
// it; 1024 of them.
struct Rgb {
  uint8_t red, green, blue;
  bool operator==(const Rgb &) const = default;
};
Rgb idColor(int64_t id);

// What the layout says in words: how many subgroups, what each holds, copies, lanes, registers; one "name  text" each.
struct SummaryLine {
  std::string name, text;
};
std::vector<SummaryLine> layoutSummary(const Layout &layout);

// A line for each row of blocks, with the first index of each row and column beside it, then the summary. Of large
// shapes the first blocks, in whole rounds where one fits. Lines end in '\n'.
std::string layoutText(const Layout &layout, const DrawingOptions &options);

// A self-contained SVG document: `title`, the summary, a panel for each thing to show with the range of indices of each
// row and column, and a legend. At most 64x32 cells a panel and 16 panels for the leading dimensions; cells are not to
// scale.
std::string layoutSvg(const Layout &layout, std::string_view title, const DrawingOptions &options);

} // namespace xt
