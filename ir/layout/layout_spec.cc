// Layouts as text, and the choice of notation for a canonical layout.
#include "ir/base/text.h"
#include "ir/layout/layout_builder.h"

#include <utility>

namespace xt {
namespace {

using Extents = std::vector<int64_t>;

std::string entry(std::string_view name, const Extents &values) { return str(name, " = [", join(values, ", "), "]"); }
std::string textOf(const WgMap &map) {
  return str("#wg_map<", entry("sg_layout", map.sgLayout), ", ", entry("sg_data", map.sgData), ">");
}
std::string textOf(const SgMap &map) {
  return str("#sg_map<", entry("wi_layout", map.wiLayout), ", ", entry("wi_data", map.wiData), ">");
}
std::string textOf(const NestedLayout &map) {
  return str("#nested_layout<", entry("subgroup_tile", map.subgroupTile), ", ", entry("batch_tile", map.batchTile), ", ",
             entry("outer_tile", map.outerTile), ", ", entry("thread_tile", map.threadTile), ", ",
             entry("element_tile", map.elementTile), ", ", entry("subgroup_strides", map.subgroupStrides), ", ",
             entry("thread_strides", map.threadStrides), ">");
}
std::string textOf(std::span<const Factor> factors) {
  std::vector<std::string> digits;
  for (const Factor &f : factors)
    digits.push_back(f.axis == Axis::Register ? str(f.extent) : str(f.extent, ":", axisName(f.axis), "*", f.stride));
  return digits.empty() ? "[1]" : "[" + join(digits, ", ") + "]";
}
std::string textOf(const FactorMap &map) {
  std::vector<std::string> parts;
  for (const std::vector<Factor> &digits : map.dims) parts.push_back(textOf(digits));
  if (!map.replication.empty()) parts.push_back("copies = " + textOf(map.replication));
  return "#layout<" + join(parts, ", ") + ">";
}

// One dimension in the form that wg_map and sg_map can express. Its digits are, outermost first: rounds over the subgroups,
// the subgroup digit, rounds over the lanes, the lane digit, and the contiguous data of a lane.
struct MapDim {
  int64_t rounds = 1, laneRounds = 1, laneData = 1;
  Factor group{1, Axis::Subgroup, 0}, lane{1, Axis::Lane, 0};
};

std::optional<MapDim> mapDim(std::span<const Factor> digits) {
  MapDim result;
  bool grouped = false, laned = false;
  for (const Factor &f : digits) {
    switch (f.axis) {
    case Axis::Register: (laned ? result.laneData : result.laneRounds) = f.extent; break;
    case Axis::Subgroup:
      if (grouped || laned) return std::nullopt;
      grouped = true;
      result.group = f;
      result.rounds = std::exchange(result.laneRounds, 1);
      break;
    case Axis::Lane:
      if (laned) return std::nullopt;
      laned = true;
      result.lane = f;
      break;
    }
  }
  // Without a lane digit, the register digit is contiguous data of a lane and not rounds over the lanes.
  if (!laned) std::swap(result.laneRounds, result.laneData);
  return result;
}

// One dimension's contribution to the row-major numbering of the owners of an axis.
struct Share {
  Factor digit;
  bool takesCopies; // whether the dimension may count more owners than it has positions, so that they wrap around
};

// The number of owners that each dimension counts, chosen so that owners are numbered row-major and each digit gets its stride.
// If there is a choice, copies go to the outermost dimension without a digit.
std::optional<Extents> rowMajorCounts(const std::vector<Share> &shares, int64_t owners) {
  Extents counts;
  for (const Share &share : shares) counts.push_back(share.digit.extent);
  size_t inner = shares.size(); // the last dimension whose digit was placed
  int64_t counted = 1;
  // Multiplies the count of one of the dimensions first … inner by `copies`.
  auto give = [&](size_t first, int64_t copies) {
    for (size_t d = first; d < shares.size() && d <= inner; ++d)
      if (shares[d].takesCopies) return counts[d] *= copies, true;
    return false;
  };
  for (size_t d = shares.size(); d-- > 0;) {
    const Factor &digit = shares[d].digit;
    if (digit.extent == 1) continue;
    if (digit.stride < counted) return std::nullopt;
    if (digit.stride > counted && !give(d + 1, digit.stride / counted)) return std::nullopt;
    counted = digit.stride * digit.extent;
    inner = d;
  }
  if (counted < owners && !give(0, owners / counted)) return std::nullopt;
  return counts;
}

std::optional<LayoutSpec> mapsOf(const Layout &layout) {
  std::vector<MapDim> dims;
  std::vector<Share> groups, lanes;
  for (int d = 0; d < layout.rank(); ++d) {
    std::optional<MapDim> dim = mapDim(layout.factors(d));
    if (!dim) return std::nullopt;
    dims.push_back(*dim);
    groups.push_back({dim->group, dim->rounds == 1});
    // Lanes wrap around only if sg_data exceeds the extent: then each subgroup holds the whole dimension, and its lanes cover
    // it at once.
    lanes.push_back({dim->lane, dim->group.extent == 1 && dim->laneRounds == 1});
  }
  std::optional<Extents> groupCounts = rowMajorCounts(groups, layout.subgroups());
  std::optional<Extents> laneCounts = rowMajorCounts(lanes, layout.axisSize(Axis::Lane));
  if (!groupCounts || !laneCounts) return std::nullopt;
  WgMap wg{*groupCounts, {}};
  SgMap sg{*laneCounts, {}};
  bool lanesWrap = false;
  for (size_t d = 0; d < dims.size(); ++d) {
    bool copies = sg.wiLayout[d] != dims[d].lane.extent;
    lanesWrap |= copies;
    // If a lane takes all elements anyway, write that it takes one at a time, as the RFC does.
    sg.wiData.push_back(dims[d].lane.extent == 1 && !copies ? 1 : dims[d].laneData);
    int64_t held = dims[d].laneRounds * dims[d].lane.extent * dims[d].laneData;
    int64_t data = held, span;
    if (copies && !multiply(sg.wiLayout[d], sg.wiData[d], data)) return std::nullopt;
    if (!multiply(wg.sgLayout[d], data, span)) return std::nullopt;
    wg.sgData.push_back(data);
  }
  LayoutSpec spec;
  bool laned = layout.axisSize(Axis::Lane) > 1;
  if (!laned || layout.subgroups() > 1 || lanesWrap) spec.wg = std::move(wg);
  if (laned) spec.sg = std::move(sg);
  return spec;
}

} // namespace

std::string LayoutSpec::text() const {
  if (nested) return textOf(*nested);
  if (factors) return textOf(*factors);
  if (wg && sg) return str("#xe_map<wg = ", textOf(*wg), ", sg = ", textOf(*sg), ">");
  if (wg) return textOf(*wg);
  if (sg) return textOf(*sg);
  return "#layout<>";
}

LayoutSpec Layout::spec() const {
  if (std::optional<LayoutSpec> maps = mapsOf(*this)) return *maps;
  LayoutSpec spec;
  spec.factors.emplace();
  spec.factors->dims = factors_;
  spec.factors->replication = replication_;
  return spec;
}

} // namespace xt
