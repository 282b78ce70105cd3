// makeLayout: converts every notation for layouts to digits.
#include "ir/base/text.h"
#include "ir/layout/layout_advice.h"
#include "ir/layout/layout_builder.h"
#include "ir/layout/layout_table.h"

#include <tuple>

namespace xt {
namespace {

using Fault = std::optional<LayoutError>;
using Extents = std::vector<int64_t>;

std::string listText(const Extents &values) { return "[" + join(values, ", ") + "]"; }

Fault checkShape(std::span<const int64_t> shape) {
  int64_t elements = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    int dim = static_cast<int>(d);
    if (shape[d] < 0) return LayoutError{str("dimension ", d, " has no static extent, but a layout needs one"), dim};
    if (shape[d] == 0) return LayoutError{str("dimension ", d, " has extent 0, so there is nothing to distribute"), dim};
    if (!multiply(elements, shape[d], elements))
      return LayoutError{str("a shape of ", shapeText(shape), " has more elements than fit 64 bits")};
  }
  return std::nullopt;
}

Fault checkEntries(const Extents &values, std::string_view name, size_t rank, int64_t least = 1) {
  if (values.size() != rank)
    return LayoutError{str(name, " = ", listText(values), " has ", values.size(), values.size() == 1 ? " entry" : " entries",
                           ", but the shape has ", rank, rank == 1 ? " dimension" : " dimensions")};
  for (size_t d = 0; d < rank; ++d)
    if (values[d] < least)
      return LayoutError{str(name, "[", d, "] is ", values[d], "; it must be at least ", least), static_cast<int>(d)};
  return std::nullopt;
}

// A map with its extents and the names of its parts: sg_layout and sg_data, or wi_layout and wi_data.
struct Grid {
  Axis axis;
  const Extents &layout, &data;
  std::string_view layoutName, dataName;
  Extents strides = {};      // the stride of each coordinate in the owner's number, row-major in `layout`
  bool insideSgData = false; // whether the map repeats over a subgroup's data and not over the extent

  Fault check(size_t rank) {
    if (Fault fault = checkEntries(layout, layoutName, rank)) return fault;
    if (Fault fault = checkEntries(data, dataName, rank)) return fault;
    strides.resize(rank);
    int64_t count = 1;
    for (size_t d = rank; d-- > 0;) {
      strides[d] = count;
      int64_t span;
      if (!multiply(count, layout[d], count))
        return LayoutError{str(layoutName, " = ", listText(layout), " has a product that does not fit 64 bits")};
      if (!multiply(layout[d], data[d], span))
        return LayoutError{str(product(d), " does not fit 64 bits"), static_cast<int>(d)};
    }
    return std::nullopt;
  }
  int64_t span(size_t d) const { return layout[d] * data[d]; }
  std::string product(size_t d) const { return str(layoutName, " * ", dataName, " = ", layout[d], " * ", data[d]); }
  std::string spanText(size_t d) const { return str(product(d), " = ", span(d)); }

  // Distributes `extent` indices of dimension d: appends the digits above one owner's contiguous block, and stores the block's
  // size in `extent`. `whole`: see Deal.
  Fault deal(size_t d, int64_t &extent, int64_t whole, LayoutBuilder &builder) const {
    int64_t count = layout[d], block = data[d];
    std::vector<Factor> &digits = builder.dims[d];
    if (extent % span(d) == 0) {
      digits.push_back({extent / span(d), Axis::Register, 1});
      digits.push_back({count, axis, strides[d]});
      extent = block;
      return std::nullopt;
    }
    if (span(d) % extent != 0)
      return wrong(d, extent, whole, str("extent ", extent, " is neither a multiple nor a divisor of ", spanText(d)));
    if (block % extent == 0) {
      builder.replication.push_back({count, axis, strides[d]});
      return std::nullopt;
    }
    // Blocks that do not divide the extent would wrap around to several start positions and overlap in parts, so no two owners
    // would hold the same elements.
    if (extent % block != 0)
      return wrong(d, extent, whole,
                   str("extent ", extent, " would wrap around inside ", dataName, " = ", block, ": ", dataName,
                       " must divide the extent or be a multiple of it"));
    int64_t blocks = extent / block;
    digits.push_back({blocks, axis, strides[d]});
    builder.replication.push_back({count / blocks, axis, strides[d] * blocks});
    extent = block;
    return std::nullopt;
  }

  Fault wrong(size_t d, int64_t extent, int64_t whole, std::string message) const {
    return LayoutError{std::move(message), static_cast<int>(d),
                       fittingDeals({layoutName, dataName, extent, layout[d], data[d], whole, insideSgData, d})};
  }
};

Grid gridOf(const WgMap &map) { return {Axis::Subgroup, map.sgLayout, map.sgData, "sg_layout", "sg_data"}; }
Grid gridOf(const SgMap &map) { return {Axis::Lane, map.wiLayout, map.wiData, "wi_layout", "wi_data"}; }

// Removes the leading 1s that the RFC for XeTile and XeGPU Dialect writes beyond the rank.
SgMap withoutLeadingOnes(SgMap map, size_t rank) {
  while (map.wiLayout.size() > rank && map.wiData.size() > rank && map.wiLayout[0] == 1 && map.wiData[0] == 1) {
    map.wiLayout.erase(map.wiLayout.begin());
    map.wiData.erase(map.wiData.begin());
  }
  return map;
}

Fault addMaps(LayoutBuilder &builder, const std::optional<WgMap> &wg, const std::optional<SgMap> &sg) {
  size_t rank = builder.shape.size();
  SgMap lanesMap = sg ? withoutLeadingOnes(*sg, rank) : SgMap{Extents(rank, 1), Extents(rank, 1)};
  WgMap groupsMap = wg ? *wg : WgMap{Extents(rank, 1), builder.shape};
  Grid groups = gridOf(groupsMap), lanes = gridOf(lanesMap);
  lanes.insideSgData = wg.has_value();
  if (Fault fault = groups.check(rank)) return fault;
  if (Fault fault = lanes.check(rank)) return fault;
  for (size_t d = 0; d < rank; ++d) {
    int64_t extent = builder.shape[d];
    if (Fault fault = groups.deal(d, extent, 0, builder)) return fault;
    int64_t whole = groups.data[d];
    if (whole % lanes.span(d) != 0)
      return lanes.wrong(d, extent, whole,
                         str(wg ? "sg_data = " : "extent ", whole, " is not divisible by ", lanes.spanText(d)));
    if (Fault fault = lanes.deal(d, extent, whole, builder)) return fault;
    builder.dims[d].push_back({extent, Axis::Register, 1});
  }
  return std::nullopt;
}

Fault checkNested(const NestedLayout &map, std::span<const int64_t> shape) {
  struct Part {
    const Extents &values;
    std::string_view name;
  };
  const Part tiles[] = {{map.subgroupTile, "subgroup_tile"},
                        {map.batchTile, "batch_tile"},
                        {map.outerTile, "outer_tile"},
                        {map.threadTile, "thread_tile"},
                        {map.elementTile, "element_tile"}};
  for (const Part &tile : tiles)
    if (Fault fault = checkEntries(tile.values, tile.name, shape.size())) return fault;
  if (Fault fault = checkEntries(map.subgroupStrides, "subgroup_strides", shape.size(), 0)) return fault;
  if (Fault fault = checkEntries(map.threadStrides, "thread_strides", shape.size(), 0)) return fault;
  for (size_t d = 0; d < shape.size(); ++d) {
    int dim = static_cast<int>(d);
    std::string names, numbers;
    int64_t product = 1;
    bool fits = true;
    for (const Part &tile : tiles) {
      names += (names.empty() ? "" : " * ") + std::string(tile.name);
      numbers += (numbers.empty() ? "" : " * ") + std::to_string(tile.values[d]);
      fits = fits && multiply(product, tile.values[d], product);
    }
    if (!fits) return LayoutError{str(names, " = ", numbers, " does not fit 64 bits"), dim};
    if (product != shape[d]) {
      std::vector<NamedNumber> tilesHere;
      for (const Part &tile : tiles) tilesHere.push_back({str(tile.name, "[", d, "]"), tile.values[d]});
      return LayoutError{str(names, " = ", numbers, " = ", product, ", but the extent is ", shape[d]), dim,
                         fittingProducts(shape[d], d, tilesHere)};
    }
    for (auto [tile, stride, level] : {std::tuple{map.subgroupTile[d], map.subgroupStrides[d], "subgroup"},
                                       std::tuple{map.threadTile[d], map.threadStrides[d], "thread"}})
      if (stride == 0 && tile != 1)
        return LayoutError{str(level, "_strides[", d, "] is 0, which leaves the dimension undistributed, but ", level, "_tile[",
                               d, "] is ", tile),
                           dim};
  }
  return std::nullopt;
}

Fault addNested(LayoutBuilder &builder, const NestedLayout &map) {
  if (Fault fault = checkNested(map, builder.shape)) return fault;
  for (size_t d = 0; d < builder.shape.size(); ++d)
    builder.dims[d] = {{map.subgroupTile[d], Axis::Subgroup, map.subgroupStrides[d]},
                       {map.batchTile[d], Axis::Register, 1},
                       {map.outerTile[d], Axis::Register, 1},
                       {map.threadTile[d], Axis::Lane, map.threadStrides[d]},
                       {map.elementTile[d], Axis::Register, 1}};
  return builder.cover(LayoutBuilder::Gaps::Copy, [](const Factor &f, int dim) {
    return str(f.axis == Axis::Lane ? "thread" : "subgroup", "_strides[", dim, "] = ", f.stride);
  });
}

Fault checkFactor(const Factor &f, int dim) {
  if (f.extent < 1) return LayoutError{str("a factor's extent is ", f.extent, "; it must be at least 1"), dim};
  if (f.axis != Axis::Register && f.stride < 1)
    return LayoutError{str("the stride of ", f.extent, ":", axisName(f.axis), "*", f.stride, " must be at least 1"), dim};
  return std::nullopt;
}

// Only register factors may vary: another extent of an owner's digit would require other strides elsewhere.
std::vector<NamedNumber> namedFactors(const std::vector<Factor> &factors) {
  std::vector<NamedNumber> numbers;
  for (const Factor &f : factors)
    numbers.push_back({"the " + ordinal(numbers.size() + 1) + " factor", f.extent, f.axis == Axis::Register});
  return numbers;
}

Fault addFactors(LayoutBuilder &builder, const FactorMap &map) {
  size_t rank = builder.shape.size();
  if (map.dims.size() != rank)
    return LayoutError{str("layout has the factors of ", map.dims.size(), map.dims.size() == 1 ? " dimension" : " dimensions",
                           ", but the shape has ", rank, rank == 1 ? " dimension" : " dimensions")};
  for (size_t d = 0; d < rank; ++d) {
    int dim = static_cast<int>(d);
    int64_t product = 1;
    for (const Factor &f : map.dims[d]) {
      if (Fault fault = checkFactor(f, dim)) return fault;
      if (!multiply(product, f.extent, product))
        return LayoutError{str("the factors of dimension ", d, " have a product that does not fit 64 bits"), dim};
    }
    if (product != builder.shape[d])
      return LayoutError{
          str("the factors of dimension ", d, " have the product ", product, ", but the extent is ", builder.shape[d]), dim,
          fittingProducts(builder.shape[d], d, namedFactors(map.dims[d]))};
  }
  for (const Factor &f : map.replication) {
    if (Fault fault = checkFactor(f, -1)) return fault;
    if (f.axis == Axis::Register)
      return LayoutError{"`copies` can list only sg and lane factors, because registers hold no copies"};
  }
  builder.dims = map.dims;
  builder.replication = map.replication;
  return builder.cover(LayoutBuilder::Gaps::Reject);
}

Fault addSpec(LayoutBuilder &builder, const LayoutSpec &spec) {
  int given = (spec.wg || spec.sg ? 1 : 0) + (spec.nested ? 1 : 0) + (spec.factors ? 1 : 0);
  if (given != 1)
    return LayoutError{given == 0 ? "the layout is empty"
                                  : "a layout has several notations: only wg_map and sg_map can be combined"};
  if (spec.nested) return addNested(builder, *spec.nested);
  if (spec.factors) return addFactors(builder, *spec.factors);
  return addMaps(builder, spec.wg, spec.sg);
}

} // namespace

LayoutOrError makeLayout(LayoutTable &table, const LayoutSpec &spec, std::span<const int64_t> shape) {
  if (Fault fault = checkShape(shape)) return *fault;
  LayoutBuilder builder;
  builder.shape.assign(shape.begin(), shape.end());
  builder.dims.resize(shape.size());
  if (Fault fault = addSpec(builder, spec)) return *fault;
  return table.intern(std::move(builder).build());
}

} // namespace xt
