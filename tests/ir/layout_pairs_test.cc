// Every layout of small shapes, written every way there is: what is equal, what a conversion costs.
#include "tests/ir/layout_reference.h"

#include <gtest/gtest.h>

#include <map>

namespace xt {
namespace {

// All ways to write `extent` as digits, each on an axis of `axes`; also with splits that say nothing new.
void allDigits(int64_t extent, const std::vector<Axis> &axes, std::vector<Factor> &now,
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

// Gives the digits of `axis` their strides in every order, filling up with copies to `count` owners.
void allStrides(FactorMap map, Axis axis, int64_t count, std::vector<FactorMap> &all) {
  int64_t counted = 1;
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t d = 0; d < map.dims.size(); ++d)
    for (size_t i = 0; i < map.dims[d].size(); ++i)
      if (map.dims[d][i].axis == axis) counted *= map.dims[d][i].extent, places.push_back({d, i});
  if (count % counted != 0) return;
  map.replication.push_back({count / counted, axis, 1});
  places.push_back({map.dims.size(), map.replication.size() - 1});
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

std::vector<FactorMap> allMaps(const Extents &shape, int64_t subgroups, int64_t lanes) {
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

Movement movementByCounting(const Ownership &from, const Ownership &to, bool sameLanes) {
  if (from == to && sameLanes) return Movement::None;
  bool lane = true, group = true;
  for (size_t e = 0; e < from.size(); ++e) {
    std::set<int64_t> groups;
    for (auto [s, l] : from[e]) groups.insert(s);
    for (auto owner : to[e]) {
      lane &= from[e].count(owner) > 0;
      group &= groups.count(owner.first) > 0;
    }
  }
  if (!group) return Movement::AcrossSubgroups;
  return lane && sameLanes ? Movement::InLane : Movement::InSubgroup;
}

// Every layout of a shape, written every way there is.
void checkAll(const Extents &shape, int64_t subgroups, int64_t lanes, size_t leastLayouts) {
  Context context;
  std::map<Ownership, const Layout *> byOwnership;
  std::map<const Layout *, Ownership> byPointer;
  for (const FactorMap &map : allMaps(shape, subgroups, lanes)) {
    const Layout *layout = made(context, map, shape);
    ASSERT_NE(layout, nullptr);
    Ownership ownership = byFactors(map, shape);
    auto [known, isNew] = byOwnership.emplace(ownership, layout);
    ASSERT_EQ(known->second, layout) << "owns alike: " << known->second->text() << " and " << layout->text();
    auto [pointer, newPointer] = byPointer.emplace(layout, ownership);
    ASSERT_EQ(pointer->second, ownership) << "owns differently: " << layout->text();
  }
  EXPECT_GE(byOwnership.size(), leastLayouts);
  size_t pair = 0;
  int seen[4] = {};
  for (const auto &[fromOwners, from] : byOwnership)
    for (const auto &[toOwners, to] : byOwnership) {
      if (from != to && ++pair % (1 + byOwnership.size() / 500) != 0) continue;
      Movement expected = movementByCounting(fromOwners, toOwners, lanes > 1 || from == to);
      ++seen[static_cast<size_t>(expected)];
      ASSERT_EQ(movement(from, to), expected) << from->text() << " to " << to->text();
      bool same = true;
      for (int64_t s = 0; s < subgroups; ++s) same &= from->sliceOf(s, 0) == to->sliceOf(s, 0);
      ASSERT_EQ(sameDistribution(from, 0, to, 0), same) << from->text() << " and " << to->text();
    }
  EXPECT_GT(seen[0], 0);
  EXPECT_GT(seen[2], 0);
  EXPECT_GT(seen[3], 0);
  if (lanes > 1) {
    EXPECT_GT(seen[1], 0);
  }
}

TEST(LayoutPairs, OneDimension) {
  checkAll({12}, 12, 1, 20);
  checkAll({24}, 12, 1, 20);
  checkAll({24}, 24, 1, 40);
  checkAll({30}, 60, 1, 20);
  checkAll({18}, 54, 1, 20);
}

TEST(LayoutPairs, SeveralDimensions) {
  checkAll({6, 4}, 6, 1, 20);
  checkAll({4, 6}, 12, 1, 80);
  checkAll({3, 8}, 12, 1, 20);
  checkAll({2, 3, 2}, 6, 1, 10);
}

TEST(LayoutPairs, Lanes) {
  checkAll({12}, 4, 6, 20);
  checkAll({2, 6}, 4, 6, 80);
  checkAll({2, 3, 2}, 6, 2, 20);
}

} // namespace
} // namespace xt
