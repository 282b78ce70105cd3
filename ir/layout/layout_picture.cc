#include "ir/base/text.h"
#include "ir/layout/layout_builder.h"

#include <algorithm>

namespace xt {
namespace {

// Visits the cells of a layout and writes their numbers.
class Picture {
public:
  Picture(const Layout &layout, int64_t maxCells) : layout_(layout), limit_(std::max<int64_t>(maxCells, 1)) {
    if (layout.subgroups() == 1 && layout.axisSize(Axis::Lane) > 1) axis_ = Axis::Lane;
    for (int d = 0; d < layout.rank(); ++d) {
      std::vector<Factor> digits = digitsOn(layout, d, axis_);
      bool whole = !digits.empty() && digits.back().axis == Axis::Register;
      cell_.push_back(whole ? digits.back().extent : 1);
    }
    for (const Factor &f : layout.replication())
      if (f.axis == axis_) holders_ *= f.extent;
  }

  std::string draw() {
    std::string owner = axis_ == Axis::Lane ? "lane" : "subgroup";
    std::string text = str("one cell = ", cell_.empty() ? "1" : shapeText(cell_), ", the number is the ", owner);
    if (holders_ > 1) text += str(", + marks cells also held by ", holders_ - 1, " more");
    text += "\n";
    size_t leading = cell_.size() > 2 ? cell_.size() - 2 : 0;
    std::vector<int64_t> place(cell_.size(), 0);
    for (int64_t section = 0;; ++section) {
      if (section == limit_) return text + "...\n";
      if (leading > 0) text += str("at [", join(std::span(place).first(leading), ", "), "]:\n");
      text += grid(place);
      if (!advance(place, leading)) return text;
    }
  }

private:
  int64_t extent(size_t d) const { return layout_.shape()[d]; }

  // Advances to the next cell among the first `dims` dimensions, row-major; false after the last.
  bool advance(std::vector<int64_t> &place, size_t dims) const {
    for (size_t d = dims; d-- > 0;) {
      if ((place[d] += cell_[d]) < extent(d)) return true;
      place[d] = 0;
    }
    return false;
  }

  std::string number(std::span<const int64_t> place) const {
    int64_t first = 0;
    for (int d = 0; d < layout_.rank(); ++d) first += coordinateOf(layout_.factors(d), place[static_cast<size_t>(d)], axis_);
    return std::to_string(first) + (holders_ > 1 ? "+" : "");
  }

  // Draws the last two dimensions (or fewer) at `place`.
  std::string grid(std::vector<int64_t> place) const {
    size_t rank = cell_.size();
    int64_t rows = rank > 1 ? extent(rank - 2) / cell_[rank - 2] : 1;
    int64_t columns = rank > 0 ? extent(rank - 1) / cell_[rank - 1] : 1;
    std::vector<std::vector<std::string>> lines;
    size_t width = 0;
    for (int64_t r = 0; r < std::min(rows, limit_); ++r) {
      lines.emplace_back();
      for (int64_t c = 0; c < std::min(columns, limit_); ++c) {
        if (rank > 1) place[rank - 2] = r * cell_[rank - 2];
        if (rank > 0) place[rank - 1] = c * cell_[rank - 1];
        lines.back().push_back(number(place));
        width = std::max(width, lines.back().back().size());
      }
    }
    std::string text;
    for (const std::vector<std::string> &line : lines) {
      for (size_t c = 0; c < line.size(); ++c) text += (c > 0 ? " " : "") + std::string(width - line[c].size(), ' ') + line[c];
      text += columns > limit_ ? " ...\n" : "\n";
    }
    return rows > limit_ ? text + "...\n" : text;
  }

  const Layout &layout_;
  int64_t limit_;
  Axis axis_ = Axis::Subgroup;
  std::vector<int64_t> cell_;
  int64_t holders_ = 1; // number of owners of each element
};

} // namespace

std::string Layout::picture(int maxCells) const { return Picture(*this, maxCells).draw(); }

} // namespace xt
