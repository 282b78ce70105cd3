// Tests grouped, repeated, reshaped and movedBytes on the RFC's examples, and compares every layout of small shapes with the
// owners of its elements.
#include "ir/layout/layout_pieces.h"
#include "tests/ir/layout/layout_enumerate.h"
#include "tests/ir/layout/layout_fixture.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

using LayoutAlgebra = LayoutTest;

// --- by example ------------------------------------------------------------------------------------------------------

TEST_F(LayoutAlgebra, ReductionsOfTheRfc) {
  // A reduction of vector<256x128xfloat> to vector<256x1xfloat>, from the layout of the operand.
  EXPECT_EQ(grouped(context_, make(wg({32, 1}, {8, 128}), {256, 128}), 1, 128), make(wg({32, 1}, {8, 1}), {256, 1}));
  // With reduction_size = [32], a reduction of vector<256x128xfloat> to vector<8x128xfloat>.
  EXPECT_EQ(grouped(context_, make(wg({8, 4}, {32, 32}), {256, 128}), 0, 32), make(wg({8, 4}, {1, 32}), {8, 128}));
  // The reduction of appendix 2.2, from #mp_reduce2 to #mp_reduce.
  EXPECT_EQ(grouped(context_, make(wg({32, 1}, {8, 256}), {256, 256}), 1, 256), make(wg({32, 1}, {8, 1}), {256, 1}));
}

TEST_F(LayoutAlgebra, ReductionsOverSeveralSubgroups) {
  const Layout *c = make(wg({8, 4}, {32, 64}), {256, 256});
  EXPECT_EQ(grouped(context_, c, 1, 256), make(wg({8, 4}, {32, 1}), {256, 1}));
  EXPECT_EQ(grouped(context_, c, 1, 256), collapsed(context_, c, 1));
  EXPECT_EQ(grouped(context_, c, 1, 16), make(wg({8, 4}, {32, 4}), {256, 16})) << "divided by n";
  EXPECT_EQ(grouped(context_, c, 1, 64), make(wg({8, 4}, {32, 1}), {256, 4}));
  EXPECT_EQ(grouped(context_, c, 1, 1), c);
  // Two neighbouring subgroups hold the terms of one index, so both hold its result.
  const Layout *pairs = grouped(context_, c, 1, 128);
  EXPECT_EQ(pairs->text(), "#layout<[8:sg*4, 32], [2:sg*2], copies = [2:sg*1]>");
  EXPECT_EQ(pairs->owners(Extents{0, 1}, Axis::Subgroup), (Extents{2, 3}));
  // Round-robin: with sg_data = 16, there are two rounds over 128 rows, so each block of 32 rows belongs to two subgroups.
  EXPECT_EQ(grouped(context_, make(wg({4, 1}, {16, 8}), {128, 8}), 0, 32)->text(),
            "#wg_map<sg_layout = [2, 2], sg_data = [1, 8]>");
  EXPECT_EQ(grouped(context_, make(wg({4, 1}, {16, 8}), {128, 8}), 0, 8), make(wg({4, 1}, {2, 8}), {16, 8}));
}

TEST_F(LayoutAlgebra, BlocksThatStraddleOwners) {
  EXPECT_EQ(grouped(context_, make(wg({3, 1}, {8, 4}), {24, 4}), 0, 6), nullptr);
  EXPECT_EQ(grouped(context_, make(wg({3, 1}, {8, 4}), {24, 4}), 0, 5), nullptr) << "does not divide the extent";
  EXPECT_EQ(grouped(context_, make(wg({3, 1}, {8, 4}), {24, 4}), 0, 0), nullptr);
  EXPECT_EQ(grouped(context_, make(wg({3, 1}, {8, 4}), {24, 4}), 0, 4), make(wg({3, 1}, {2, 4}), {6, 4}));
  // Two subgroups alternate with one element each, so any three consecutive elements belong to both.
  EXPECT_EQ(grouped(context_, make(wg({2}, {1}), {12}), 0, 3), make(wg({2}, {4}), {4}));
  EXPECT_EQ(grouped(context_, make(wg({2}, {2}), {12}), 0, 3), make(wg({2}, {4}), {4}));
  EXPECT_EQ(grouped(context_, make(wg({2}, {3}), {12}), 0, 2), nullptr);
}

TEST_F(LayoutAlgebra, BroadcastsOfTheRfc) {
  // A broadcast of vector<256x1xfloat> to vector<256x256xfloat>, and the layout of the operand derived from that of the result.
  const Layout *operand = make(wg({16, 1}, {16, 1}), {256, 1}), *result = make(wg({16, 1}, {16, 256}), {256, 256});
  EXPECT_EQ(repeated(context_, operand, 1, 256), result);
  EXPECT_EQ(grouped(context_, result, 1, 256), operand);
  // The broadcast of appendix 2.2, from #mp_bcast to #mp_c. All subgroups that hold any element of a column hold its operand.
  const Layout *row = make(wg({8, 4}, {1, 64}), {1, 256}), *c = make(wg({8, 4}, {32, 64}), {256, 256});
  EXPECT_EQ(grouped(context_, c, 0, 256), row);
  EXPECT_EQ(repeated(context_, row, 0, 256), make(wg({8, 4}, {256, 64}), {256, 256}));
  EXPECT_EQ(movement(repeated(context_, row, 0, 256), c), Movement::InSubgroup) << "each has what it needs";
}

TEST_F(LayoutAlgebra, BroadcastsInBlocks) {
  const Layout *c = make(wg({8, 4}, {32, 64}), {256, 256});
  EXPECT_EQ(grouped(context_, c, 0, 8), make(wg({8, 4}, {4, 64}), {32, 256})) << "divided by n";
  EXPECT_EQ(repeated(context_, make(wg({8, 4}, {4, 64}), {32, 256}), 0, 8), c);
  EXPECT_EQ(repeated(context_, make(wg({8, 4}, {1, 64}), {8, 256}), 0, 32), c);
  EXPECT_EQ(repeated(context_, c, 0, 0), nullptr);
  EXPECT_EQ(repeated(context_, c, 0, int64_t{1} << 50), nullptr);
}

TEST_F(LayoutAlgebra, Reshapes) {
  const Layout *c = make(wg({8, 4}, {32, 64}), {256, 256});
  EXPECT_EQ(reshaped(context_, c, Extents{8, 32, 256}), make(wg({8, 1, 4}, {1, 32, 64}), {8, 32, 256}));
  EXPECT_EQ(reshaped(context_, c, Extents{256, 4, 64}), make(wg({8, 4, 1}, {32, 1, 64}), {256, 4, 64}));
  EXPECT_EQ(reshaped(context_, c, Extents{256 * 256})->text(), "#layout<[8:sg*4, 32, 4:sg*1, 64]>");
  EXPECT_EQ(reshaped(context_, make(wg({8, 1}, {32, 256}), {256, 256}), Extents{256 * 256}),
            make(wg({8}, {32 * 256}), {256 * 256}));
  EXPECT_EQ(reshaped(context_, c, Extents{1, 256, 1, 256, 1}),
            make(wg({1, 8, 1, 4, 1}, {1, 32, 1, 64, 1}), {1, 256, 1, 256, 1}));
  EXPECT_EQ(reshaped(context_, c, Extents{256, 255}), nullptr);
  EXPECT_EQ(reshaped(context_, c, Extents{256, -256}), nullptr);
  // Subgroup 0 would hold 0..7, which is neither one row of 6 nor two rows.
  EXPECT_EQ(reshaped(context_, make(wg({3}, {8}), {24}), Extents{4, 6}), nullptr);
  EXPECT_EQ(reshaped(context_, make(wg({3}, {8}), {24}), Extents{6, 4}), make(wg({3, 1}, {2, 4}), {6, 4}));
}

TEST_F(LayoutAlgebra, BytesBetweenSubgroups) {
  const Layout *b = make(wg({8, 4}, {32, 64}), {256, 256}), *a = make(wg({32, 1}, {8, 256}), {256, 256});
  // The RFC's convert_layout: subgroup 4i+j already holds 8x64 of its 8x256 elements.
  EXPECT_EQ(movedBytes(b, a, 4), 32 * 8 * (256 - 64) * 4);
  EXPECT_EQ(movedBytes(a, b, 2), 32 * (32 - 8) * 64 * 2);
  EXPECT_EQ(movedBytes(b, b, 4), 0);
  const Layout *rows = make(wg({8, 4}, {32, 256}), {256, 256});
  EXPECT_EQ(movedBytes(rows, b, 4), 0);
  EXPECT_EQ(movedBytes(b, rows, 1), 32 * 32 * (256 - 64));
  EXPECT_EQ(movedBytes(b, make(xe({8, 4}, {32, 64}, {1, 16}, {1, 1}), {256, 256}), 4), 0);
  int64_t huge = int64_t{1} << 30;
  EXPECT_EQ(movedBytes(make(wg({huge, 1}, {1, huge}), {huge, huge}), make(wg({1, huge}, {huge, 1}), {huge, huge}), 1),
            huge * huge);
}

// --- against owners --------------------------------------------------------------------------------------------------

// The union of owners, for each axis separately.
struct AxisOwners {
  std::set<int64_t> groups, lanes;
  void add(const Owners &owners) {
    for (auto [s, l] : owners) groups.insert(s), lanes.insert(l);
  }
  Owners all() const {
    Owners owners;
    for (int64_t s : groups)
      for (int64_t l : lanes) owners.insert({s, l});
    return owners;
  }
};

struct Family {
  Context &context;
  int64_t subgroups, lanes;
  std::map<Extents, std::map<Ownership, const Layout *>> known = {};

  const std::map<Ownership, const Layout *> &of(const Extents &shape) {
    auto [found, isNew] = known.emplace(shape, std::map<Ownership, const Layout *>());
    if (isNew) found->second = allLayouts(context, shape, subgroups, lanes);
    return found->second;
  }
  // Returns the layout with this ownership, or null if there is none.
  const Layout *owning(const Ownership &ownership, const Extents &shape) {
    const auto &all = of(shape);
    auto found = all.find(ownership);
    return found == all.end() ? nullptr : found->second;
  }
};

void checkGrouped(Family &family, const Layout *layout, const Ownership &ownership, const Extents &shape) {
  for (size_t d = 0; d < shape.size(); ++d)
    for (int64_t n = 1; n <= shape[d]; ++n) {
      if (shape[d] % n != 0) continue;
      Extents small = shape;
      small[d] /= n;
      std::vector<AxisOwners> blocks(static_cast<size_t>(product(small)));
      for (size_t e = 0; e < ownership.size(); ++e) {
        Extents index = indexOf(static_cast<int64_t>(e), shape);
        index[d] /= n;
        blocks[static_cast<size_t>(elementAt(index, small))].add(ownership[e]);
      }
      Ownership expected;
      for (const AxisOwners &block : blocks) expected.push_back(block.all());
      const Layout *result = grouped(family.context, layout, static_cast<int>(d), n);
      ASSERT_EQ(result, family.owning(expected, small)) << layout->text() << " dim " << d << " by " << n;
      if (n == shape[d]) {
        ASSERT_EQ(result, collapsed(family.context, layout, static_cast<int>(d)));
      }
    }
}

void checkRepeated(Family &family, const Layout *layout, const Ownership &ownership, const Extents &shape) {
  for (size_t d = 0; d < shape.size(); ++d)
    for (int64_t n : {1, 2, 3}) {
      Extents large = shape;
      large[d] *= n;
      const Layout *result = repeated(family.context, layout, static_cast<int>(d), n);
      Ownership expected;
      for (int64_t e = 0; e < product(large); ++e) {
        Extents index = indexOf(e, large);
        index[d] /= n;
        expected.push_back(ownership[static_cast<size_t>(elementAt(index, shape))]);
      }
      ASSERT_NE(result, nullptr);
      ASSERT_EQ(asked(result), expected) << layout->text() << " dim " << d << " by " << n;
      ASSERT_EQ(grouped(family.context, result, static_cast<int>(d), n), layout);
    }
}

void checkReshaped(Family &family, const Layout *layout, const Ownership &ownership, const Extents &shape) {
  int64_t count = product(shape);
  std::vector<Extents> shapes = {{count}, {1, count, 1}};
  for (int64_t rows = 1; rows <= count; ++rows)
    if (count % rows == 0) shapes.push_back({rows, count / rows});
  for (const Extents &to : shapes)
    ASSERT_EQ(reshaped(family.context, layout, to), family.owning(ownership, to))
        << layout->text() << " in " << testing::PrintToString(to);
}

int64_t movedByCounting(const Ownership &from, const Ownership &to) {
  int64_t moved = 0;
  for (size_t e = 0; e < to.size(); ++e) {
    AxisOwners had, has;
    had.add(from[e]);
    has.add(to[e]);
    for (int64_t s : has.groups) moved += had.groups.count(s) == 0;
  }
  return moved;
}

void checkFamily(const Extents &shape, int64_t subgroups, int64_t lanes) {
  Context context;
  Family family{context, subgroups, lanes};
  const auto all = family.of(shape);
  size_t pair = 0;
  for (const auto &[ownership, layout] : all) {
    checkGrouped(family, layout, ownership, shape);
    checkRepeated(family, layout, ownership, shape);
    checkReshaped(family, layout, ownership, shape);
    if (testing::Test::HasFatalFailure()) return;
    for (const auto &[toOwnership, to] : all)
      if (++pair % (1 + all.size() / 40) == 0) {
        ASSERT_EQ(movedBytes(layout, to, 3), 3 * movedByCounting(ownership, toOwnership))
            << layout->text() << " to " << to->text();
      }
  }
}

TEST(LayoutAlgebraOwners, OneDimension) {
  checkFamily({12}, 12, 1);
  checkFamily({24}, 12, 1);
  checkFamily({18}, 6, 1);
  checkFamily({30}, 30, 1);
}

TEST(LayoutAlgebraOwners, SeveralDimensions) {
  checkFamily({6, 4}, 6, 1);
  checkFamily({4, 6}, 12, 1);
  checkFamily({2, 3, 2}, 6, 1);
}

TEST(LayoutAlgebraOwners, Lanes) {
  checkFamily({12}, 4, 6);
  checkFamily({24}, 2, 2);
  checkFamily({2, 6}, 4, 3);
}

// --- parts and levels ------------------------------------------------------------------------------------------------

TEST_F(LayoutAlgebra, PartsKeepTheElementsOfEachLane) {
  const Layout *rows = make(sg({1, 16}, {1, 1}), {32, 32});
  EXPECT_EQ(sliced(context_, rows, Extents{8, 16}), make(sg({1, 16}, {1, 1}), {8, 16}));
  EXPECT_EQ(sliced(context_, rows, Extents{32, 32}), rows);
  EXPECT_EQ(sliced(context_, rows, Extents{8, 8}), nullptr) << "half of the lanes would hold nothing";
  const Layout *blocks = make(sg({4, 4}, {4, 4}), {16, 32});
  EXPECT_EQ(sliced(context_, blocks, Extents{16, 16}), make(sg({4, 4}, {4, 4}), {16, 16}));
  EXPECT_EQ(sliced(context_, blocks, Extents{8, 16}), nullptr);
}

TEST_F(LayoutAlgebra, SubgroupsWithoutLanes) {
  const Layout *both = make(xe({2, 1}, {8, 32}, {4, 4}, {1, 2}), {32, 32});
  EXPECT_EQ(onSubgroups(context_, both), make(wg({2, 1}, {8, 32}), {32, 32}));
  const Layout *groups = make(wg({2, 1}, {8, 32}), {32, 32});
  EXPECT_EQ(onSubgroups(context_, groups), groups);
}

TEST_F(LayoutAlgebra, LanesOfAPiece) {
  EXPECT_EQ(lanesOfPiece(context_, *make(xe({2, 1}, {8, 32}, {4, 4}, {1, 2}), {32, 32})), make(sg({4, 4}, {1, 2}), {8, 32}));
  EXPECT_EQ(lanesOfPiece(context_, *make(wg({2, 1}, {8, 32}), {32, 32})), nullptr);
  EXPECT_EQ(lanesOfPiece(context_, *make(sg({1, 16}, {1, 1}), {8, 16})), make(sg({1, 16}, {1, 1}), {8, 16}));
  LayoutSpec apart;
  apart.factors = FactorMap{{{{16, Axis::Lane, 1}, {2, Axis::Subgroup, 1}, {4, Axis::Register, 1}}}, {}};
  EXPECT_EQ(lanesOfPiece(context_, *make(apart, {128})), nullptr) << "lanes hold whole pieces";
}

} // namespace
} // namespace xt
