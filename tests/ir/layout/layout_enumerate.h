// Enumerates all layouts of a small shape, for tests that must cover each one.
#pragma once
#include "tests/ir/layout/layout_reference.h"

#include <map>

namespace xt {

// Appends to `all` each way to write `extent` as digits, each on an axis of `axes`, including redundant splits.
inline void allDigits(int64_t extent, const std::vector<Axis> &axes, std::vector<Factor> &now,
                      std::vector<std::vector<Factor>> &all) {
  if (extent == 1) all.push_back(now);
  for (int64_t e = 2; e <= extent; ++e)
    if (extent % e == 0)
      for (Axis axis : axes) {
        now.push_back({e, axis, 1});
        allDigits(extent / e, axes, now, all);
        now.pop_back();
      }
}

// Appends copies of `map` in which the digits of `axis` have their strides in every order. If they have fewer than `count`
// owners, adds digits of copies.
inline void allStrides(FactorMap map, Axis axis, int64_t count, std::vector<FactorMap> &all) {
  int64_t counted = 1;
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t d = 0; d < map.dims.size(); ++d)
    for (size_t i = 0; i < map.dims[d].size(); ++i)
      if (map.dims[d][i].axis == axis) counted *= map.dims[d][i].extent, places.push_back({d, i});
  if (count % counted != 0) return;
  int64_t copies = count / counted;
  for (int64_t prime = 2; copies > 1; prime += copies % prime == 0 ? 0 : 1)
    for (; copies % prime == 0; copies /= prime) {
      map.replication.push_back({prime, axis, 1});
      places.push_back({map.dims.size(), map.replication.size() - 1});
    }
  std::sort(places.begin(), places.end());
  do {
    FactorMap one = map;
    int64_t stride = 1;
    for (auto [d, i] : places) {
      Factor &f = d == map.dims.size() ? one.replication[i] : one.dims[d][i];
      f.stride = stride;
      stride *= f.extent;
    }
    all.push_back(std::move(one));
  } while (std::next_permutation(places.begin(), places.end()));
}

inline std::vector<FactorMap> allMaps(const Extents &shape, int64_t subgroups, int64_t lanes) {
  std::vector<Axis> axes = {Axis::Register, Axis::Subgroup};
  if (lanes > 1) axes.push_back(Axis::Lane);
  std::vector<FactorMap> grown = {FactorMap{}};
  for (int64_t extent : shape) {
    std::vector<std::vector<Factor>> digits;
    std::vector<Factor> now;
    allDigits(extent, axes, now, digits);
    std::vector<FactorMap> longer;
    for (const FactorMap &map : grown)
      for (const std::vector<Factor> &more : digits) longer.push_back(map), longer.back().dims.push_back(more);
    grown = std::move(longer);
  }
  std::vector<FactorMap> withGroups, withLanes;
  for (const FactorMap &map : grown) allStrides(map, Axis::Subgroup, subgroups, withGroups);
  for (const FactorMap &map : withGroups) allStrides(map, Axis::Lane, lanes, withLanes);
  return withLanes;
}

// Returns every layout of a shape, by its ownership. There are subgroups * lanes owners.
inline std::map<Ownership, const Layout *> allLayouts(Context &context, const Extents &shape, int64_t subgroups,
                                                      int64_t lanes) {
  std::map<Ownership, const Layout *> all;
  for (const FactorMap &map : allMaps(shape, subgroups, lanes)) all.emplace(byFactors(map, shape), made(context, map, shape));
  return all;
}

} // namespace xt
