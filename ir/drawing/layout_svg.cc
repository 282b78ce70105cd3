#include "ir/base/text.h"
#include "ir/base/xml.h"
#include "ir/drawing/layout_drawing.h"
#include "ir/drawing/layout_panels.h"

#include <algorithm>
#include <cstdio>

namespace xt {
namespace {

constexpr PanelLimits kLimits = {64, 32, 16};
constexpr int64_t kMargin = 16, kLine = 18, kCharacter = 7; // pixels; a character of 12px text is narrower than kCharacter
constexpr int64_t kMostLegend = 64;                         // ids listed in the legend
constexpr int64_t kMostTips = 512;                          // panels with more cells get no tooltips
constexpr int64_t kMostRanges = 3;                          // ranges listed per id and dimension

std::string hex(Rgb color) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", color.red, color.green, color.blue);
  return text;
}

std::string rangeText(Panel::Tick tick) {
  return tick.first == tick.last ? str(tick.first) : str(tick.first, "\u2013", tick.last);
}
int64_t width(std::string_view text) {
  return kCharacter * std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

std::string axisWord(Axis axis) {
  switch (axis) {
  case Axis::Register: return "register";
  case Axis::Lane: return "lane";
  case Axis::Subgroup: return "subgroup";
  }
  return {};
}

class Svg {
public:
  Svg(const Layout &layout, const DrawingOptions &options) : layout_(layout), options_(options) {}

  std::string draw(std::string_view title) {
    line(title, " font-weight=\"bold\"");
    for (const SummaryLine &summary : layoutSummary(layout_)) line(str(summary.name, ": ", summary.text), "");
    std::vector<Panel> panels = panelsOf(layout_, options_.lanes, options_.registers, kLimits);
    for (const Panel &panel : panels) draw(panel);
    if (panels[0].axis == Axis::Subgroup) legend();
    return str("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", right_ + kMargin, "\" height=\"", y_ + kMargin,
               "\" viewBox=\"0 0 ", right_ + kMargin, " ", y_ + kMargin,
               "\" font-family=\"sans-serif\" font-size=\"12\">\n<title>", xmlText(title),
               "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", body_, "</svg>\n");
  }

private:
  void text(int64_t x, int64_t y, std::string_view content, std::string_view attributes) {
    body_ += str("<text x=\"", x, "\" y=\"", y, "\"", attributes, ">", xmlText(content), "</text>\n");
  }
  void line(std::string_view content, std::string_view attributes) {
    y_ += kLine;
    text(kMargin, y_, content, attributes);
    right_ = std::max(right_, kMargin + width(content));
  }
  void box(int64_t x, int64_t y, int64_t w, int64_t h, int64_t id, std::string_view more) {
    body_ +=
        str("<rect x=\"", x, "\" y=\"", y, "\" width=\"", w, "\" height=\"", h, "\" fill=\"", hex(idColor(id)), "\"", more);
  }

  // Chooses cells that are wide enough for their text, and as wide as the width of the drawing allows, up to a limit. Blocks
  // with at least as many rows as columns get higher cells.
  struct Frame {
    int64_t left, cellWidth, cellHeight, headHeight;
    bool upright; // the column labels are vertical
  };
  Frame frameOf(const Panel &panel) const {
    Frame frame{0, 0, 0, kLine + 4, false};
    int64_t label = 0, rowLabel = 0, number = 0;
    for (const Panel::Tick &tick : panel.columns) label = std::max(label, width(rangeText(tick)));
    for (const Panel::Tick &tick : panel.rows) rowLabel = std::max(rowLabel, width(rangeText(tick)));
    for (const Panel::Section &section : panel.sections)
      for (const Panel::Cell &cell : section.cells) number = std::max(number, width(cell.text()));
    int64_t blockWidth = panel.block.empty() ? 1 : panel.block.back();
    int64_t blockHeight = panel.rows.empty() ? 1 : panel.block[panel.block.size() - 2];
    int64_t columns = static_cast<int64_t>(panel.columns.size());
    frame.cellWidth = std::max(number + 8, std::min<int64_t>(720 / columns, 96));
    frame.cellHeight = 22;
    if (blockHeight >= blockWidth) frame.cellHeight = std::min<int64_t>(frame.cellWidth, 44);
    frame.upright = label + 6 > frame.cellWidth;
    if (frame.upright) frame.headHeight = label + 8;
    frame.left = kMargin + rowLabel + 8;
    return frame;
  }

  void draw(const Panel &panel) {
    Frame frame = frameOf(panel);
    y_ += kLine / 2;
    line(str(panel.title, "; a cell is ", panel.block.empty() ? "1" : shapeText(panel.block)), " font-weight=\"bold\"");
    for (const Panel::Section &section : panel.sections) {
      if (!section.place.empty()) line(str("at [", join(section.place, ", "), "]"), "");
      draw(panel, section, frame);
    }
    if (panel.hiddenSections > 0) line(str("\u2026 and ", panel.hiddenSections, " more"), "");
  }

  void draw(const Panel &panel, const Panel::Section &section, const Frame &frame) {
    y_ += frame.headHeight;
    size_t columns = panel.columns.size();
    for (size_t c = 0; c < columns; ++c) {
      int64_t x = frame.left + static_cast<int64_t>(c) * frame.cellWidth + frame.cellWidth / 2;
      if (frame.upright)
        text(x + 4, y_ - 4, rangeText(panel.columns[c]), str(" transform=\"rotate(-90 ", x + 4, " ", y_ - 4, ")\""));
      else
        text(x, y_ - 4, rangeText(panel.columns[c]), " text-anchor=\"middle\"");
    }
    body_ += "<g stroke=\"#ffffff\">\n";
    for (size_t i = 0; i < section.cells.size(); ++i) cell(panel, section, frame, i);
    body_ += "</g>\n<g text-anchor=\"middle\">\n";
    for (size_t i = 0; i < section.cells.size(); ++i)
      text(frame.left + static_cast<int64_t>(i % columns) * frame.cellWidth + frame.cellWidth / 2,
           y_ + static_cast<int64_t>(i / columns) * frame.cellHeight + frame.cellHeight / 2 + 4, section.cells[i].text(), "");
    body_ += "</g>\n<g text-anchor=\"end\">\n";
    for (size_t r = 0; r < panel.rows.size(); ++r)
      text(frame.left - 6, y_ + static_cast<int64_t>(r) * frame.cellHeight + frame.cellHeight / 2 + 4, rangeText(panel.rows[r]),
           "");
    body_ += "</g>\n";
    int64_t end = frame.left + static_cast<int64_t>(columns) * frame.cellWidth;
    if (panel.hiddenColumns > 0) {
      std::string more = str("\u2026 and ", panel.hiddenColumns, " more");
      text(end + 6, y_ + frame.cellHeight / 2 + 4, more, "");
      end += 6 + width(more);
    }
    right_ = std::max(right_, end);
    y_ += static_cast<int64_t>(section.cells.size() / columns) * frame.cellHeight;
    if (panel.hiddenRows > 0) line(str("\u2026 and ", panel.hiddenRows, " more rows of cells"), "");
  }

  void cell(const Panel &panel, const Panel::Section &section, const Frame &frame, size_t i) {
    size_t columns = panel.columns.size();
    const Panel::Cell &cell = section.cells[i];
    int64_t x = frame.left + static_cast<int64_t>(i % columns) * frame.cellWidth;
    int64_t y = y_ + static_cast<int64_t>(i / columns) * frame.cellHeight;
    if (static_cast<int64_t>(section.cells.size()) > kMostTips) {
      box(x, y, frame.cellWidth, frame.cellHeight, cell.holders[0], "/>\n");
    } else {
      std::string tip = str(axisWord(panel.axis), " ", cell.text(), ": ");
      for (int64_t place : section.place) tip += str(place, ", ");
      if (!panel.rows.empty()) tip += rangeText(panel.rows[i / columns]) + ", ";
      box(x, y, frame.cellWidth, frame.cellHeight, cell.holders[0],
          str("><title>", xmlText(tip + rangeText(panel.columns[i % columns])), "</title></rect>\n"));
    }
    // A strip in the colours of the other holders.
    int64_t others = static_cast<int64_t>(cell.holders.size()) - 1;
    for (int64_t k = 0; k < others; ++k)
      box(x + frame.cellWidth * k / others, y + frame.cellHeight - 5,
          frame.cellWidth * (k + 1) / others - frame.cellWidth * k / others, 5, cell.holders[static_cast<size_t>(k) + 1],
          " stroke=\"none\"/>\n");
  }

  // "0–31, 64–95" along one dimension.
  std::string heldText(int64_t subgroup, int dim) const {
    Ruler ruler = Ruler::heldBy(layout_, dim, subgroup);
    std::vector<std::string> ranges;
    for (int64_t i = 0; i < std::min(ruler.count(), kMostRanges); ++i)
      ranges.push_back(rangeText({ruler.first(i), ruler.first(i) + ruler.width() - 1}));
    if (ruler.count() > kMostRanges) ranges.push_back("\u2026");
    return join(ranges, ", ");
  }

  void legend() {
    y_ += kLine / 2;
    line("subgroups and the indices that each holds, dimension by dimension", " font-weight=\"bold\"");
    int64_t listed = std::min(layout_.subgroups(), kMostLegend), left = kMargin, top = y_, column = 0;
    constexpr int64_t kRows = 16;
    for (int64_t id = 0; id < listed; ++id) {
      if (id > 0 && id % kRows == 0) left += column + 40, column = 0, y_ = top;
      std::vector<std::string> dims;
      for (int d = 0; d < layout_.rank(); ++d) dims.push_back(heldText(id, d));
      std::string entry = str(id, ": ", join(dims, " \u00d7 "));
      y_ += kLine;
      box(left, y_ - 11, 14, 14, id, "/>\n");
      text(left + 20, y_, entry, "");
      column = std::max(column, width(entry));
      right_ = std::max(right_, left + 20 + width(entry));
    }
    y_ = top + std::min(listed, kRows) * kLine;
    if (layout_.subgroups() > listed) line(str("\u2026 and ", layout_.subgroups() - listed, " more subgroups"), "");
  }

  const Layout &layout_;
  const DrawingOptions &options_;
  std::string body_;
  int64_t y_ = kMargin / 2, right_ = 0;
};

} // namespace

std::string layoutSvg(const Layout &layout, std::string_view title, const DrawingOptions &options) {
  return Svg(layout, options).draw(title);
}

} // namespace xt
