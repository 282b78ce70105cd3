// The meaning of the layout notations, computed element by element, as a reference for tests.
#pragma once
#include "ir/context.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace xt {

using Extents = std::vector<int64_t>;
using Owners = std::set<std::pair<int64_t, int64_t>>; // (subgroup, lane)
using Ownership = std::vector<Owners>;                // per element, row-major

inline int64_t product(const Extents &values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1}, std::multiplies<>());
}
inline Extents indexOf(int64_t element, const Extents &shape) {
  Extents index(shape.size());
  for (size_t d = shape.size(); d-- > 0; element /= shape[d]) index[d] = element % shape[d];
  return index;
}
inline int64_t elementAt(const Extents &index, const Extents &shape) {
  int64_t element = 0;
  for (size_t d = 0; d < shape.size(); ++d) element = element * shape[d] + index[d];
  return element;
}

// --- definitions in the RFCs and IREE's ------------------------------------------------------------------------------

// Computes the owners by the RFCs. The RFC: blocks of sg_data are distributed to the subgroups of a dimension in turn, until
// both the tile and the subgroups are used up; a block beyond the tile's end wraps around to its beginning. The older RFC:
// within sg_data, blocks of wi_data are distributed to lanes in turn.
inline std::optional<Ownership> byMaps(const LayoutSpec &spec, const Extents &shape) {
  size_t rank = shape.size();
  Extents ones(rank, 1);
  Extents groups = spec.wg ? spec.wg->sgLayout : ones, data = spec.wg ? spec.wg->sgData : shape;
  Extents lanes = spec.sg ? spec.sg->wiLayout : ones, laneData = spec.sg ? spec.sg->wiData : ones;
  std::vector<std::vector<Owners>> along(rank);
  for (size_t d = 0; d < rank; ++d) {
    int64_t n = shape[d], span = groups[d] * data[d], laneSpan = lanes[d] * laneData[d];
    if (n % span != 0 && span % n != 0) return std::nullopt;
    if (data[d] % laneSpan != 0) return std::nullopt;
    along[d].resize(static_cast<size_t>(n));
    std::vector<int64_t> timesHeld(static_cast<size_t>(n), 0);
    for (int64_t start = 0; start < std::max(n, span); start += data[d]) {
      std::vector<bool> seen(static_cast<size_t>(n), false);
      for (int64_t p = 0; p < data[d]; ++p) {
        size_t i = static_cast<size_t>((start + p) % n);
        along[d][i].insert({start / data[d] % groups[d], p / laneData[d] % lanes[d]});
        seen[i] = true;
      }
      // If a block wraps around but does not hold the whole tile, it has no first element from which lanes could be counted.
      bool whole = std::all_of(seen.begin(), seen.end(), [](bool s) { return s; });
      if (whole ? data[d] % n != 0 : start % n + data[d] > n) return std::nullopt;
    }
    // If a block wraps around, the blocks of its lanes must obey the same rule.
    if (data[d] > n && n % laneSpan != 0 && (laneSpan % n != 0 || (n % laneData[d] != 0 && laneData[d] % n != 0)))
      return std::nullopt;
  }
  Ownership result;
  for (int64_t e = 0; e < product(shape); ++e) {
    Owners owners = {{0, 0}};
    Extents index = indexOf(e, shape);
    for (size_t d = 0; d < rank; ++d) {
      Owners longer;
      for (auto [s, l] : owners)
        for (auto [s1, l1] : along[d][static_cast<size_t>(index[d])]) longer.insert({s * groups[d] + s1, l * lanes[d] + l1});
      owners = std::move(longer);
    }
    result.push_back(std::move(owners));
  }
  return result;
}

// Computes the owners by the formulas of nested_layout in the 'iree_vector_ext' Dialect, evaluated for each id.
inline Ownership byNested(const NestedLayout &map, const Extents &shape, int64_t subgroups, int64_t lanes) {
  Ownership result(static_cast<size_t>(product(shape)));
  size_t rank = shape.size();
  auto place = [](int64_t id, int64_t stride, int64_t tile) { return stride == 0 ? 0 : id / stride % tile; };
  for (int64_t s = 0; s < subgroups; ++s)
    for (int64_t l = 0; l < lanes; ++l)
      for (int64_t e = 0; e < product(shape); ++e) {
        Extents index = indexOf(e, shape);
        bool held = true;
        for (size_t d = 0; d < rank; ++d) {
          int64_t perThread = map.elementTile[d], perOuter = perThread * map.threadTile[d];
          int64_t perSubgroup = perOuter * map.outerTile[d] * map.batchTile[d];
          held &= index[d] / perSubgroup == place(s, map.subgroupStrides[d], map.subgroupTile[d]);
          held &= index[d] / perThread % map.threadTile[d] == place(l, map.threadStrides[d], map.threadTile[d]);
        }
        if (held) result[static_cast<size_t>(e)].insert({s, l});
      }
  return result;
}

// Computes the owners by the definition of factors: the sum of digits times strides, plus every combination of copies.
inline Ownership byFactors(const FactorMap &map, const Extents &shape) {
  Ownership result;
  for (int64_t e = 0; e < product(shape); ++e) {
    std::vector<std::pair<int64_t, int64_t>> owners = {{0, 0}};
    Extents index = indexOf(e, shape);
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t weight = shape[d];
      for (const Factor &f : map.dims[d]) {
        weight /= f.extent;
        int64_t digit = index[d] / weight % f.extent;
        if (f.axis == Axis::Subgroup) owners[0].first += digit * f.stride;
        if (f.axis == Axis::Lane) owners[0].second += digit * f.stride;
      }
    }
    for (const Factor &f : map.replication) {
      size_t known = owners.size();
      for (int64_t c = 1; c < f.extent; ++c)
        for (size_t i = 0; i < known; ++i) {
          auto [s, l] = owners[i];
          if (f.axis == Axis::Subgroup)
            owners.push_back({s + c * f.stride, l});
          else
            owners.push_back({s, l + c * f.stride});
        }
    }
    result.emplace_back(owners.begin(), owners.end());
  }
  return result;
}

// Returns the owners that a layout reports, element by element.
inline Ownership asked(const Layout *layout) {
  Extents shape(layout->shape().begin(), layout->shape().end());
  Ownership result;
  for (int64_t e = 0; e < product(shape); ++e) {
    Extents index = indexOf(e, shape);
    Owners owners;
    for (int64_t s : layout->owners(index, Axis::Subgroup))
      for (int64_t l : layout->owners(index, Axis::Lane)) owners.insert({s, l});
    result.push_back(std::move(owners));
  }
  return result;
}

inline const Layout *made(Context &context, const LayoutSpec &spec, const Extents &shape) {
  LayoutOrError result = makeLayout(context, spec, shape);
  const Layout **layout = std::get_if<const Layout *>(&result);
  return layout ? *layout : nullptr;
}
inline const Layout *made(Context &context, FactorMap map, const Extents &shape) {
  LayoutSpec spec;
  spec.factors = std::move(map);
  return made(context, spec, shape);
}

} // namespace xt
