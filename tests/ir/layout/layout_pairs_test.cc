// Tests every layout of small shapes, written in every possible way: equality and the cost of conversions.
#include "tests/ir/layout/layout_enumerate.h"

#include <gtest/gtest.h>

#include <map>

namespace xt {
namespace {

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

// Checks every layout of a shape, written in every possible way.
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
  checkAll({18}, 18, 1, 20);
  checkAll({30}, 30, 1, 20);
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

// sg_layout * sg_data is a multiple of the extent, but sg_data does not divide it: the subgroups' blocks begin at several
// positions and overlap in parts. No layout of that many subgroups has this ownership, so wg_map rejects it.
TEST(LayoutPairs, BlocksThatWrapAroundInsideAreNoLayout) {
  int cases = 0;
  for (int64_t extent = 2; extent <= 16; ++extent)
    for (int64_t count = 2; count <= 8; ++count)
      for (int64_t block = 2; block < extent; ++block) {
        if (count * block % extent != 0 || extent % block == 0) continue;
        Ownership wrapped(static_cast<size_t>(extent));
        for (int64_t p = 0; p < count * block; ++p) wrapped[static_cast<size_t>(p % extent)].insert({p / block, 0});
        Context context;
        std::map<Ownership, const Layout *> all = allLayouts(context, {extent}, count, 1);
        EXPECT_EQ(all.count(wrapped), 0u) << extent << " over " << count << " of " << block;
        EXPECT_EQ(made(context, LayoutSpec::of({{count}, {block}}), {extent}), nullptr);
        ++cases;
      }
  EXPECT_GT(cases, 20);
}

} // namespace
} // namespace xt
