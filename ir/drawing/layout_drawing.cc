#include "ir/drawing/layout_drawing.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/drawing/layout_panels.h"

#include <algorithm>
#include <cmath>

namespace xt {
namespace {

constexpr PanelLimits kTextLimits = {32, 16, 8};

std::string shapeOr1(std::span<const int64_t> shape) { return shape.empty() ? "1" : shapeText(shape); }

// "32x64 = 2048".
std::string countText(std::span<const int64_t> shape) {
  return shape.size() > 1 ? str(shapeText(shape), " = ", productOf(shape)) : str(productOf(shape));
}

// "in one block", "in 2x1 blocks of 32x128".
std::string blocksText(std::span<const int64_t> held, std::span<const int64_t> block) {
  std::vector<int64_t> blocks;
  for (size_t d = 0; d < held.size(); ++d) blocks.push_back(held[d] / block[d]);
  if (productOf(blocks) == 1) return "in one block";
  return str("in ", shapeText(blocks), " blocks of ", shapeText(block));
}

int64_t copiesOn(const Layout &layout, Axis axis) {
  int64_t copies = 1;
  for (const Factor &f : layout.replication())
    if (f.axis == axis) copies *= f.extent;
  return copies;
}

// --- text ------------------------------------------------------------------------------------------------------------

class TextPanel {
public:
  TextPanel(const Panel &panel, bool color) : panel_(panel), color_(color) {
    for (const Panel::Tick &row : panel.rows) label_ = std::max(label_, std::to_string(row.first).size());
    for (const Panel::Tick &column : panel.columns) cell_ = std::max(cell_, std::to_string(column.first).size());
    for (const Panel::Section &section : panel.sections)
      for (const Panel::Cell &cell : section.cells) cell_ = std::max(cell_, cell.text().size());
  }

  std::string draw() const {
    std::string text = str(panel_.title, "; a cell is ", shapeOr1(panel_.block), "\n");
    for (const Panel::Section &section : panel_.sections) {
      if (!section.place.empty()) text += str("at [", join(section.place, ", "), "]:\n");
      text += grid(section);
    }
    if (panel_.hiddenSections > 0) text += str("... and ", panel_.hiddenSections, " more\n");
    return text;
  }

private:
  static std::string padded(std::string_view text, size_t width) {
    return std::string(width > text.size() ? width - text.size() : 0, ' ') + std::string(text);
  }

  std::string cellText(const Panel::Cell &cell) const {
    std::string text = padded(cell.text(), cell_);
    if (!color_) return " " + text;
    // Uses the nearest colour of the terminal's 6x6x6 colour cube, with black text on it.
    Rgb rgb = idColor(cell.holders[0]);
    auto level = [](uint8_t value) { return value < 115 ? (value < 48 ? 0 : 1) : (value - 35) / 40; };
    int color = 16 + 36 * level(rgb.red) + 6 * level(rgb.green) + level(rgb.blue);
    return str("\x1b[38;5;16;48;5;", color, "m ", text, "\x1b[0m");
  }

  std::string grid(const Panel::Section &section) const {
    size_t columns = panel_.columns.size(), indent = panel_.rows.empty() ? 0 : label_ + 2;
    std::string text = std::string(indent, ' ');
    for (const Panel::Tick &column : panel_.columns) text += " " + padded(std::to_string(column.first), cell_);
    if (panel_.hiddenColumns > 0) text += str("  ... and ", panel_.hiddenColumns, " more");
    text += "\n";
    for (size_t i = 0; i < section.cells.size(); ++i) {
      if (i % columns == 0 && indent > 0) text += padded(std::to_string(panel_.rows[i / columns].first), label_) + "  ";
      text += cellText(section.cells[i]);
      if (i % columns == columns - 1) text += panel_.hiddenColumns > 0 ? "  ...\n" : "\n";
    }
    if (panel_.hiddenRows > 0) text += str("... and ", panel_.hiddenRows, " more rows of cells\n");
    return text;
  }

  const Panel &panel_;
  bool color_;
  size_t label_ = 0, cell_ = 0; // in characters, of the row labels and of each cell
};

} // namespace

Rgb idColor(int64_t id) {
  // Hues that are a golden angle apart differ for any sequence of consecutive ids. The hues of ids that are 13, 21, 34, 55 and
  // 89 apart are nearly equal. Four alternating tones distinguish these, as 4 divides none of these numbers.
  constexpr double kGoldenAngle = 137.50776405;
  constexpr struct {
    double lightness, saturation;
  } kTones[] = {{0.78, 0.95}, {0.72, 1.00}, {0.66, 0.60}, {0.70, 0.80}};
  constexpr int64_t kIds = 1024;
  id = (id % kIds + kIds) % kIds;
  double hue = std::fmod(static_cast<double>(id) * kGoldenAngle + 210, 360) / 60;
  auto [lightness, saturation] = kTones[id % 4];
  double chroma = (1 - std::fabs(2 * lightness - 1)) * saturation, low = lightness - chroma / 2;
  double second = chroma * (1 - std::fabs(std::fmod(hue, 2) - 1));
  const double wheel[6][3] = {{chroma, second, 0}, {second, chroma, 0}, {0, chroma, second},
                              {0, second, chroma}, {second, 0, chroma}, {chroma, 0, second}};
  const double *rgb = wheel[std::min(static_cast<int>(hue), 5)];
  auto byte = [&](double value) { return static_cast<uint8_t>(std::lround((value + low) * 255)); };
  return {byte(rgb[0]), byte(rgb[1]), byte(rgb[2])};
}

std::vector<SummaryLine> layoutSummary(const Layout &layout) {
  std::vector<SummaryLine> lines;
  std::vector<int64_t> held = layout.subgroupShape(), block, laneHeld, laneBlock;
  for (int d = 0; d < layout.rank(); ++d) {
    block.push_back(Ruler::heldBy(layout, d, 0).width());
    laneHeld.push_back(Ruler::insideLane(layout, d, 0, 0).count());
    laneBlock.push_back(Ruler::insideSubgroup(layout, d, 0).width());
  }
  lines.push_back({"subgroups", str(layout.subgroups())});
  lines.push_back(
      {"each holds", str(countText(held), " of ", productOf(layout.shape()), " elements, ", blocksText(held, block))});
  int64_t copies = copiesOn(layout, Axis::Subgroup), lanes = layout.axisSize(Axis::Lane);
  lines.push_back(
      {"copies", copies == 1 ? "none: each element is in one subgroup" : str("each element is in ", copies, " subgroups")});
  std::string laneText = "no lane layout";
  if (lanes > 1) {
    laneText = str(lanes, " per subgroup; each holds ", countText(laneHeld),
                   productOf(laneHeld) == 1 ? " element" : " elements", ", ", blocksText(laneHeld, laneBlock));
    int64_t laneCopies = copiesOn(layout, Axis::Lane);
    if (laneCopies > 1) laneText += str("; each element is in ", laneCopies, " lanes of its subgroup");
  }
  lines.push_back({"lanes", laneText});
  lines.push_back(
      {"registers", str(counted(layout.axisSize(Axis::Register), "element"), lanes > 1 ? " per lane" : " per subgroup")});
  return lines;
}

std::string layoutText(const Layout &layout, const DrawingOptions &options) {
  std::string text;
  for (const Panel &panel : panelsOf(layout, options.lanes, options.registers, kTextLimits))
    text += TextPanel(panel, options.color).draw() + "\n";
  for (const SummaryLine &line : layoutSummary(layout))
    text += line.name + std::string(12 - line.name.size(), ' ') + line.text + "\n";
  return text;
}

} // namespace xt
