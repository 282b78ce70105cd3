// Drawings of element ownership: text for terminals, SVG for documents and editors.
#pragma once
#include "ir/layout/layout.h"

namespace xt {

struct DrawingOptions {
  bool lanes = false;     // also draws the lanes of subgroup 0
  bool registers = false; // also draws the registers of its first lane
  bool color = false;     // ANSI colours in text; SVG always has them
};

// The colour of an id, the same on every machine: light enough for black numbers, and different from the colours of the ids
// near it. There are 1024 colours.
struct Rgb {
  uint8_t red, green, blue;
  bool operator==(const Rgb &) const = default;
};
Rgb idColor(int64_t id);

// Describes the layout in words: the number of subgroups, the part each holds, copies, lanes, registers. Each is a line of a
// name and a text.
struct SummaryLine {
  std::string name, text;
};
std::vector<SummaryLine> layoutSummary(const Layout &layout);

// Draws the layout as text: one line per row of blocks, with labels for the first index of each row and column; then the
// summary. Large shapes are cut to their first blocks. If the owners repeat, the blocks shown are whole repetitions, if one
// fits. Lines end in '\n'.
std::string layoutText(const Layout &layout, const DrawingOptions &options);

// A self-contained SVG document: `title`, the summary, one panel each for subgroups, lanes and registers with the index range
// of each row and column, and a legend. At most 64x32 cells per panel and 16 panels for the leading dimensions; cells are not
// drawn to scale.
std::string layoutSvg(const Layout &layout, std::string_view title, const DrawingOptions &options);

} // namespace xt
