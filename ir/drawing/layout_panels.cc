#include "ir/drawing/layout_panels.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

bool nothing(Axis) { return false; }
bool subgroups(Axis axis) { return axis == Axis::Subgroup; }
bool owners(Axis axis) { return axis != Axis::Register; }

// The holders of the element at `place` on an axis. The layout's replication is ordered by stride, so the copies are ascending.
Panel::Cell cellAt(const Layout &layout, std::span<const int64_t> place, Axis axis) {
  Panel::Cell cell;
  int64_t first = 0;
  for (int d = 0; d < layout.rank(); ++d) first += coordinateOf(layout.factors(d), place[static_cast<size_t>(d)], axis);
  std::vector<Factor> copies;
  for (const Factor &f : layout.replication())
    if (f.axis == axis) copies.push_back(f), cell.holderCount *= f.extent;
  for (int64_t copy = 0; copy < std::min(cell.holderCount, Panel::kMaxHolders); ++copy)
    cell.holders.push_back(first + coordinateOf(copies, copy, axis));
  return cell;
}

class PanelMaker {
public:
  PanelMaker(const Layout &layout, std::vector<Ruler> rulers, const PanelLimits &limits)
      : layout_(layout), rulers_(std::move(rulers)), limits_(limits) {}

  Panel make(Axis axis, std::string title) {
    Panel panel;
    panel.axis = axis;
    panel.title = std::move(title);
    for (const Ruler &ruler : rulers_) panel.block.push_back(ruler.width());
    size_t rank = rulers_.size();
    if (rank > 1) panel.rows = ticks(rulers_[rank - 2], limits_.rows, panel.hiddenRows);
    if (rank > 0) panel.columns = ticks(rulers_[rank - 1], limits_.columns, panel.hiddenColumns);
    if (rank == 0) panel.columns = {{0, 0}};
    size_t leading = rank > 2 ? rank - 2 : 0;
    std::vector<int64_t> blocks(leading, 0);
    do {
      if (static_cast<int64_t>(panel.sections.size()) == limits_.sections) break;
      panel.sections.push_back(section(panel, axis, blocks));
    } while (advance(blocks));
    int64_t all = 1;
    for (size_t d = 0; d < leading; ++d)
      if (!multiply(all, rulers_[d].count(), all)) all = INT64_MAX;
    panel.hiddenSections = all - static_cast<int64_t>(panel.sections.size());
    return panel;
  }

private:
  static std::vector<Panel::Tick> ticks(const Ruler &ruler, int64_t limit, int64_t &hidden) {
    std::vector<Panel::Tick> result;
    int64_t shown = ruler.shown(limit);
    for (int64_t i = 0; i < shown; ++i) result.push_back({ruler.first(i), ruler.first(i) + ruler.width() - 1});
    hidden = ruler.count() - shown;
    return result;
  }

  bool advance(std::vector<int64_t> &blocks) const {
    for (size_t d = blocks.size(); d-- > 0;) {
      if (++blocks[d] < rulers_[d].count()) return true;
      blocks[d] = 0;
    }
    return false;
  }

  Panel::Section section(const Panel &panel, Axis axis, const std::vector<int64_t> &blocks) const {
    Panel::Section result;
    for (size_t d = 0; d < blocks.size(); ++d) result.place.push_back(rulers_[d].first(blocks[d]));
    std::vector<int64_t> place = result.place;
    place.resize(rulers_.size());
    std::vector<Panel::Tick> rows = panel.rows.empty() ? std::vector<Panel::Tick>{{0, 0}} : panel.rows;
    for (const Panel::Tick &row : rows)
      for (const Panel::Tick &column : panel.columns) {
        if (!panel.rows.empty()) place[place.size() - 2] = row.first;
        if (!place.empty()) place.back() = column.first;
        result.cells.push_back(cellAt(layout_, place, axis));
      }
    return result;
  }

  const Layout &layout_;
  std::vector<Ruler> rulers_;
  PanelLimits limits_;
};

} // namespace

// Digits of the axes in `fixed` are fixed at the coordinates of the owner; the other digits are free. With `joins`, a register
// digit in innermost position forms a block.
Ruler::Ruler(std::span<const Factor> digits, bool (*fixed)(Axis), int64_t subgroup, int64_t lane, bool joins) {
  int64_t weight = 1;
  for (size_t i = digits.size(); i-- > 0; weight *= digits[i].extent) {
    const Factor &f = digits[i];
    if (fixed(f.axis)) {
      offset_ += (f.axis == Axis::Subgroup ? subgroup : lane) / f.stride % f.extent * weight;
    } else if (joins && weight == 1 && f.axis == Axis::Register) {
      width_ = f.extent;
    } else {
      free_.insert(free_.begin(), {f.extent, weight});
      count_ *= f.extent;
      if (f.axis != Axis::Register) round_ = count_;
    }
  }
}

Ruler Ruler::overSubgroups(const Layout &layout, int dim) {
  return Ruler(digitsOn(layout, dim, Axis::Subgroup), nothing, 0, 0, true);
}
Ruler Ruler::insideSubgroup(const Layout &layout, int dim, int64_t subgroup) {
  return Ruler(layout.factors(dim), subgroups, subgroup, 0, true);
}
Ruler Ruler::insideLane(const Layout &layout, int dim, int64_t subgroup, int64_t lane) {
  return Ruler(layout.factors(dim), owners, subgroup, lane, false);
}
Ruler Ruler::heldBy(const Layout &layout, int dim, int64_t subgroup) {
  return Ruler(digitsOn(layout, dim, Axis::Subgroup), subgroups, subgroup, 0, true);
}

int64_t Ruler::first(int64_t block) const {
  int64_t index = offset_;
  for (size_t i = free_.size(); i-- > 0; block /= free_[i].extent) index += block % free_[i].extent * free_[i].weight;
  return index;
}

int64_t Ruler::shown(int64_t limit) const {
  if (count_ <= limit) return count_;
  if (round_ == 1 || round_ > limit) return limit;
  constexpr int64_t kEnough = 8; // enough to see the repetition
  return std::max(round_, std::min(limit, kEnough) / round_ * round_);
}

std::string Panel::Cell::text() const {
  if (holderCount <= kMaxHolders) return join(holders, ",");
  return str(holders[0], "+", holderCount - 1);
}

std::vector<Panel> panelsOf(const Layout &layout, bool lanes, bool registers, const PanelLimits &limits) {
  std::vector<Panel> panels;
  auto add = [&](Axis axis, std::string title, auto ruler) {
    std::vector<Ruler> rulers;
    for (int d = 0; d < layout.rank(); ++d) rulers.push_back(ruler(d));
    panels.push_back(PanelMaker(layout, std::move(rulers), limits).make(axis, std::move(title)));
  };
  bool laned = layout.axisSize(Axis::Lane) > 1, grouped = layout.subgroups() > 1;
  if (grouped || !laned) add(Axis::Subgroup, "subgroups", [&](int d) { return Ruler::overSubgroups(layout, d); });
  if (laned && (lanes || !grouped))
    add(Axis::Lane, grouped ? "lanes of subgroup 0" : "lanes", [&](int d) { return Ruler::insideSubgroup(layout, d, 0); });
  if (registers)
    add(Axis::Register,
        laned ? (grouped ? "registers of lane 0 in subgroup 0" : "registers of lane 0") : "registers of subgroup 0",
        [&](int d) { return Ruler::insideLane(layout, d, 0, 0); });
  return panels;
}

} // namespace xt
