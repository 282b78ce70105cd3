// Tests layouts by example: the RFC's table, canonical spellings, errors, pictures, the cost of conversions.
#include "tests/ir/layout/layout_fixture.h"

namespace xt {
namespace {

LayoutSpec general(std::vector<std::vector<Factor>> dims, std::vector<Factor> copies = {}) {
  LayoutSpec spec;
  spec.factors = FactorMap{std::move(dims), std::move(copies)};
  return spec;
}
Factor reg(int64_t extent) { return {extent, Axis::Register, 1}; }
Factor onSg(int64_t extent, int64_t stride) { return {extent, Axis::Subgroup, stride}; }
Factor onLane(int64_t extent, int64_t stride) { return {extent, Axis::Lane, stride}; }

using LayoutByExample = LayoutTest;

TEST_F(LayoutByExample, TableOfTheRfc) {
  const Layout *layout = make(wg({2, 2}, {32, 128}), {128, 128});
  EXPECT_EQ(layout->subgroups(), 4);
  for (int64_t row = 0; row < 128; ++row)
    for (int64_t column : {0, 63, 64, 127}) {
      Extents both = row / 32 % 2 == 0 ? Extents{0, 1} : Extents{2, 3};
      EXPECT_EQ(layout->owners(Extents{row, column}, Axis::Subgroup), both);
    }
  EXPECT_EQ(layout->subgroupShape(), (Extents{64, 128}));
  EXPECT_TRUE(layout->isReplicated(Axis::Subgroup));
  EXPECT_FALSE(layout->isReplicated(Axis::Lane));
  EXPECT_EQ(layout->axisSize(Axis::Register), 64 * 128);
  Extents rows = layout->sliceOf(2, 0);
  EXPECT_EQ(rows.size(), 64u);
  EXPECT_EQ(rows.front(), 32);
  EXPECT_EQ(rows[31], 63);
  EXPECT_EQ(rows[32], 96);
  EXPECT_EQ(layout->text(), "#wg_map<sg_layout = [2, 2], sg_data = [32, 128]>");
}

TEST_F(LayoutByExample, MapsOfTheRfcsAppendixSpellThemselves) {
  struct Case {
    Extents layout, data, shape;
  } cases[] = {{{8, 4}, {32, 32}, {256, 32}},  {{8, 4}, {32, 64}, {32, 256}}, {{8, 4}, {32, 64}, {256, 256}},
               {{32, 1}, {8, 32}, {256, 32}},  {{4, 8}, {8, 32}, {32, 256}},  {{4, 8}, {64, 32}, {256, 32}},
               {{8, 4}, {1, 64}, {1, 256}},    {{32, 1}, {8, 1}, {256, 1}},   {{32, 1}, {8, 256}, {256, 256}},
               {{64, 1}, {4, 32}, {256, 32}},  {{8, 8}, {4, 32}, {32, 256}},  {{16, 2}, {8, 128}, {128, 256}},
               {{8, 4}, {64, 64}, {512, 256}}, {{3, 2}, {8, 24}, {24, 24}},   {{3, 2}, {8, 24}, {48, 96}}};
  for (const Case &c : cases) {
    LayoutSpec spec = wg(c.layout, c.data);
    EXPECT_EQ(make(spec, c.shape)->spec(), spec) << make(spec, c.shape)->text();
  }
}

TEST_F(LayoutByExample, EqualOwnershipIsOnePointer) {
  // The mapping of appendix 2.3, with which a transpose stays inside each subgroup.
  const Layout *bt = make(wg({32, 1}, {64, 32}), {256, 32});
  EXPECT_EQ(transposed(context_, bt, Extents{1, 0}), make(wg({8, 4}, {32, 64}), {32, 256}));
  EXPECT_NE(transposed(context_, make(wg({4, 8}, {64, 32}), {256, 32}), Extents{1, 0}), make(wg({8, 4}, {32, 64}), {32, 256}));

  const Layout *twentyFour = make(wg({24, 1}, {1, 4}), {24, 4});
  EXPECT_EQ(twentyFour, make(general({{onSg(3, 8), onSg(8, 1)}, {reg(4)}}), {24, 4}));
  EXPECT_EQ(twentyFour, make(general({{onSg(2, 12), onSg(4, 3), onSg(3, 1)}, {reg(2), reg(2)}}), {24, 4}));
  EXPECT_NE(twentyFour, make(general({{onSg(8, 1), onSg(3, 8)}, {reg(4)}}), {24, 4}));

  EXPECT_EQ(make(general({{onSg(4, 1)}}, {onSg(2, 4), onSg(2, 8)}), {4}), make(general({{onSg(4, 1)}}, {onSg(4, 4)}), {4}));
  EXPECT_EQ(make(general({{onSg(4, 1)}}, {onSg(2, 8), onSg(1, 77), onSg(2, 4)}), {4}), make(wg({16}, {1}), {4}));
  EXPECT_NE(make(general({{onSg(4, 1)}}, {onSg(4, 4)}), {4}), make(general({{onSg(4, 1)}}, {onSg(2, 4)}), {4}));
  // Register strides have no effect, and all ways to express that a subgroup holds a whole dimension are equal.
  EXPECT_EQ(make(general({{{8, Axis::Register, 99}}}), {8}), make(wg({1}, {8}), {8}));
  EXPECT_EQ(make(wg({1}, {2}), {8}), make(wg({1}, {8}), {8}));
  EXPECT_EQ(make(wg({1}, {32}), {8}), make(wg({1}, {8}), {8}));
  EXPECT_EQ(make(wg({8, 4}, {32, 32}), {256, 32}), make(wg({8, 4}, {32, 64}), {256, 32}));
}

TEST_F(LayoutByExample, RegistersAreRowMajorOverWhatAnOwnerHolds) {
  // 8x16 elements over 2x8 lanes with blocks of 1x2: a lane holds four rows of two elements.
  const Layout *layout = make(sg({2, 8}, {1, 2}), {8, 16});
  EXPECT_EQ(layout->axisSize(Axis::Lane), 16);
  EXPECT_EQ(layout->axisSize(Axis::Register), 8);
  EXPECT_EQ(layout->subgroups(), 1);
  EXPECT_EQ(layout->owners(Extents{5, 7}, Axis::Lane), (Extents{11}));
  EXPECT_EQ(layout->owners(Extents{5, 7}, Axis::Register), (Extents{5}));
  EXPECT_EQ(layout->text(), "#sg_map<wi_layout = [2, 8], wi_data = [1, 2]>");
}

TEST_F(LayoutByExample, ExampleOfSeed003) {
  LayoutSpec spec = xe(wg({2, 2}, {32, 128}), sg({2, 8}, {1, 2}));
  const Layout *layout = make(spec, {128, 128});
  EXPECT_EQ(layout->subgroups(), 4);
  EXPECT_EQ(layout->axisSize(Axis::Lane), 16);
  EXPECT_EQ(layout->owners(Extents{33, 18}, Axis::Lane), (Extents{9}));
  EXPECT_EQ(layout->owners(Extents{33, 18}, Axis::Subgroup), (Extents{2, 3}));
  EXPECT_EQ(layout->spec(), spec);
  EXPECT_EQ(layout->text(), "#xe_map<wg = #wg_map<sg_layout = [2, 2], sg_data = [32, 128]>, "
                            "sg = #sg_map<wi_layout = [2, 8], wi_data = [1, 2]>>");
  // A descriptor of rank 1 is written with a leading 1.
  EXPECT_EQ(make(sg({1, 16}, {1, 1}), {32}), make(sg({16}, {1}), {32}));
}

TEST_F(LayoutByExample, TextOfTheGeneralForm) {
  const Layout *layout = make(general({{onSg(2, 2), reg(3), onSg(2, 1)}, {}}, {onLane(4, 1), onSg(2, 4)}), {12, 1});
  EXPECT_EQ(layout->text(), "#layout<[2:sg*2, 3, 2:sg*1], [1], copies = [2:sg*4, 4:lane*1]>");
  EXPECT_EQ(make(layout->spec(), {12, 1}), layout);
}

TEST_F(LayoutByExample, NarrowTilesAndEveryRank) {
  const Layout *column = make(wg({4, 1}, {16, 1}), {64, 1}), *row = make(wg({1, 4}, {1, 64}), {1, 256});
  EXPECT_EQ(column->owners(Extents{17, 0}, Axis::Subgroup), (Extents{1}));
  EXPECT_EQ(row->owners(Extents{0, 192}, Axis::Subgroup), (Extents{3}));
  EXPECT_EQ(make(wg({8, 4}, {8, 1}), {64, 1})->owners(Extents{8, 0}, Axis::Subgroup), (Extents{4, 5, 6, 7}));
  EXPECT_EQ(make(xe(wg({4, 1}, {16, 1}), sg({16, 1}, {1, 1})), {64, 1})->axisSize(Axis::Register), 1);
  // The same distribution in each rank: two subgroups along each dimension, with three elements each, in two rounds.
  for (size_t rank = 1; rank <= 5; ++rank) {
    const Layout *layout = make(wg(Extents(rank, 2), Extents(rank, 3)), Extents(rank, 12));
    EXPECT_EQ(layout->subgroups(), int64_t{1} << rank);
    EXPECT_EQ(layout->subgroupShape(), Extents(rank, 6));
    EXPECT_EQ(layout->owners(Extents(rank, 10), Axis::Subgroup), (Extents{(int64_t{1} << rank) - 1}));
    EXPECT_EQ(layout->sliceOf(0, static_cast<int>(rank) - 1), (Extents{0, 1, 2, 6, 7, 8}));
  }
  // Round-robin in one dimension and wrap-around in the other, with extents that are not powers of two.
  const Layout *mixed = make(wg({3, 2}, {8, 24}), {48, 24});
  EXPECT_EQ(mixed->owners(Extents{32, 5}, Axis::Subgroup), (Extents{2, 3}));
  EXPECT_EQ(mixed->subgroupShape(), (Extents{16, 24}));
}

TEST_F(LayoutByExample, ErrorsOfMaps) {
  EXPECT_EQ(errorOf(wg({4, 1}, {32, 8}), {48, 8}),
            "extent 48 is neither a multiple nor a divisor of sg_layout * sg_data = 4 * 32 = 128 @0");
  EXPECT_EQ(errorOf(wg({1, 3}, {8, 4}), {8, 6}),
            "extent 6 would wrap around inside sg_data = 4: sg_data must divide the extent or be a multiple of it @1");
  EXPECT_EQ(errorOf(wg({4}, {32}), {48, 8}), "sg_layout = [4] has 1 entry, but the shape has 2 dimensions @-1");
  EXPECT_EQ(errorOf(wg({4, 1}, {32, 8, 8}), {48, 8}), "sg_data = [32, 8, 8] has 3 entries, but the shape has 2 dimensions @-1");
  EXPECT_EQ(errorOf(wg({4, 0}, {32, 8}), {128, 8}), "sg_layout[1] is 0; it must be at least 1 @1");
  EXPECT_EQ(errorOf(wg({4, 1}, {-2, 8}), {128, 8}), "sg_data[0] is -2; it must be at least 1 @0");
  EXPECT_EQ(errorOf(wg({4, 1}, {2, 8}), {128, kDynamic}), "dimension 1 has no static extent, but a layout needs one @1");
  EXPECT_EQ(errorOf(wg({4, 1}, {2, 8}), {0, 8}), "dimension 0 has extent 0, so there is nothing to distribute @0");
  int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(errorOf(wg({huge, 1}, {huge, 1}), {8, 8}),
            "sg_layout * sg_data = 1099511627776 * 1099511627776 does not fit 64 bits @0");
  EXPECT_EQ(errorOf(wg({huge, huge}, {1, 1}), {8, 8}),
            "sg_layout = [1099511627776, 1099511627776] has a product that does not fit 64 bits @-1");
  EXPECT_EQ(errorOf(wg({1, 1}, {1, 1}), {huge, huge}),
            "a shape of 1099511627776x1099511627776 has more elements than fit 64 bits @-1");
  EXPECT_EQ(errorOf(xe(wg({2}, {32}), sg({3}, {4})), {64}),
            "sg_data = 32 is not divisible by wi_layout * wi_data = 3 * 4 = 12 @0");
  EXPECT_EQ(errorOf(sg({1, 16}, {8, 1}), {16, 8}), "extent 8 is not divisible by wi_layout * wi_data = 16 * 1 = 16 @1");
  EXPECT_EQ(errorOf(sg({2, 16}, {1, 1}), {16}), "wi_layout = [2, 16] has 2 entries, but the shape has 1 dimension @-1");
  EXPECT_EQ(errorOf(LayoutSpec(), {16}), "the layout is empty @-1");
  LayoutSpec two = wg({1}, {1});
  two.factors.emplace();
  EXPECT_EQ(errorOf(two, {16}), "a layout has several notations: only wg_map and sg_map can be combined @-1");
}

TEST_F(LayoutByExample, ErrorsOfFactors) {
  EXPECT_EQ(errorOf(general({{reg(4)}, {reg(2)}}), {8}),
            "layout has the factors of 2 dimensions, but the shape has 1 dimension @-1");
  EXPECT_EQ(errorOf(general({{onSg(2, 1), reg(3)}}), {8}),
            "the factors of dimension 0 have the product 6, but the extent is 8 @0");
  EXPECT_EQ(errorOf(general({{reg(0)}}), {8}), "a factor's extent is 0; it must be at least 1 @0");
  EXPECT_EQ(errorOf(general({{onSg(8, 0)}}), {8}), "the stride of 8:sg*0 must be at least 1 @0");
  EXPECT_EQ(errorOf(general({{onSg(4, 1), onSg(2, 8)}}), {8}),
            "subgroup 4 holds no element: the stride of 2:sg*8 leaves a gap; with stride 4 it does not @0");
  EXPECT_EQ(errorOf(general({{reg(8)}}, {reg(2)}), {8}),
            "`copies` can list only sg and lane factors, because registers hold no copies @-1");
  int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(errorOf(general({{reg(8)}}, {onSg(huge, 1), onSg(huge, huge)}), {8}),
            "the subgroups of 1099511627776:sg*1099511627776 do not fit 64 bits @-1");
}

TEST_F(LayoutByExample, Pictures) {
  EXPECT_EQ(make(wg({8, 4}, {32, 64}), {256, 256})->picture(), "one cell = 32x64, the number is the subgroup\n"
                                                               " 0  1  2  3\n"
                                                               " 4  5  6  7\n"
                                                               " 8  9 10 11\n"
                                                               "12 13 14 15\n"
                                                               "16 17 18 19\n"
                                                               "20 21 22 23\n"
                                                               "24 25 26 27\n"
                                                               "28 29 30 31\n");
  EXPECT_EQ(make(wg({2, 2}, {32, 128}), {128, 128})->picture(),
            "one cell = 32x128, the number is the subgroup, + marks cells also held by 1 more\n0+\n2+\n0+\n2+\n");
  EXPECT_EQ(make(wg({64, 1}, {4, 32}), {256, 32})->picture(3), "one cell = 4x32, the number is the subgroup\n"
                                                               "0\n1\n2\n...\n");
  EXPECT_EQ(make(wg({2, 8}, {1, 1}), {2, 8})->picture(4), "one cell = 1x1, the number is the subgroup\n"
                                                          " 0  1  2  3 ...\n 8  9 10 11 ...\n");
  EXPECT_EQ(make(wg({4}, {2}), {16})->picture(), "one cell = 2, the number is the subgroup\n0 1 2 3 0 1 2 3\n");
  EXPECT_EQ(make(wg({2, 1, 2}, {2, 4, 4}), {4, 4, 8})->picture(), "one cell = 2x4x4, the number is the subgroup\n"
                                                                  "at [0]:\n0 1\nat [2]:\n2 3\n");
  EXPECT_EQ(make(sg({2, 4}, {1, 2}), {2, 8})->picture(), "one cell = 1x2, the number is the lane\n0 1 2 3\n4 5 6 7\n");
  EXPECT_EQ(make(xe(wg({2, 1}, {1, 8}), sg({1, 4}, {1, 2})), {2, 8})->picture(),
            "one cell = 1x8, the number is the subgroup\n0\n1\n");
  // With the largest possible numbers, the picture must not iterate over all elements.
  int64_t huge = int64_t{1} << 30;
  EXPECT_EQ(make(wg({huge, huge}, {1, 1}), {huge, huge})->picture(1), "one cell = 1x1, the number is the subgroup\n"
                                                                      "0 ...\n...\n");
}

TEST_F(LayoutByExample, DistributionsOfMatrixProducts) {
  const Layout *a = make(wg({8, 4}, {32, 32}), {256, 32}), *b = make(wg({8, 4}, {32, 64}), {32, 256}),
               *c = make(wg({8, 4}, {32, 64}), {256, 256});
  EXPECT_TRUE(sameDistribution(a, 0, c, 0));
  EXPECT_TRUE(sameDistribution(b, 1, c, 1));
  EXPECT_TRUE(sameDistribution(a, 1, b, 0));
  EXPECT_FALSE(sameDistribution(c, 0, c, 1));
  EXPECT_FALSE(sameDistribution(a, 0, make(wg({32, 1}, {8, 256}), {256, 256}), 0));
  EXPECT_FALSE(sameDistribution(a, 0, make(wg({8, 8}, {32, 32}), {256, 32}), 0)) << "other subgroups";
  // The comparison ignores lanes.
  EXPECT_TRUE(sameDistribution(make(xe(wg({8, 4}, {32, 32}), sg({2, 8}, {1, 2})), {256, 32}), 0, c, 0));

  EXPECT_EQ(combined(context_, std::vector<DimOf>{{c, 0}, {nullptr, 0}}, Extents{256, 32}), a);
  EXPECT_EQ(combined(context_, std::vector<DimOf>{{a, 1}, {c, 1}}, Extents{32, 256}), b);
  EXPECT_EQ(combined(context_, std::vector<DimOf>{{a, 0}, {b, 1}}, Extents{256, 256}), c);
  EXPECT_EQ(combined(context_, std::vector<DimOf>{{c, 0}, {c, 0}}, Extents{256, 256}), nullptr);
  EXPECT_EQ(combined(context_, std::vector<DimOf>{{c, 0}, {c, 1}}, Extents{256, 128}), nullptr);
}

TEST_F(LayoutByExample, CollapsedDimensionsAreHeldByTheirFormerOwners) {
  const Layout *c = make(wg({8, 4}, {32, 64}), {256, 256});
  EXPECT_EQ(collapsed(context_, c, 0), make(wg({8, 4}, {1, 64}), {1, 256}));
  EXPECT_EQ(collapsed(context_, c, 1), make(wg({8, 4}, {32, 1}), {256, 1}));
  EXPECT_EQ(collapsed(context_, c, 1)->text(), "#wg_map<sg_layout = [8, 4], sg_data = [32, 1]>");
  const Layout *lanes = make(xe(wg({8, 4}, {32, 64}), sg({2, 8}, {1, 2})), {256, 256});
  EXPECT_EQ(collapsed(context_, lanes, 0)->text(), "#xe_map<wg = #wg_map<sg_layout = [8, 4], sg_data = [2, 64]>, "
                                                   "sg = #sg_map<wi_layout = [2, 8], wi_data = [1, 2]>>");
  EXPECT_EQ(collapsed(context_, lanes, 0), make(xe(wg({8, 4}, {32, 64}), sg({2, 8}, {1, 2})), {1, 256}));
}

TEST_F(LayoutByExample, WhatConversionsCost) {
  auto lanes = [&](Extents sgLayout, Extents sgData, Extents wiLayout, Extents wiData) {
    return make(xe(wg(sgLayout, sgData), sg(wiLayout, wiData)), {64, 64});
  };
  const Layout *c = make(wg({8, 4}, {8, 16}), {64, 64}), *rows = make(wg({32, 1}, {2, 64}), {64, 64});
  EXPECT_EQ(movement(c, c), Movement::None);
  EXPECT_EQ(movement(c, rows), Movement::AcrossSubgroups);
  const Layout *everywhere = make(wg({32, 1}, {64, 64}), {64, 64});
  EXPECT_EQ(movement(everywhere, c), Movement::InSubgroup);
  EXPECT_EQ(movement(c, everywhere), Movement::AcrossSubgroups);
  const Layout *rowOfGroups = make(wg({8, 4}, {8, 64}), {64, 64});
  EXPECT_EQ(movement(rowOfGroups, c), Movement::InSubgroup);

  const Layout *fine = lanes({8, 4}, {8, 16}, {2, 8}, {1, 2});
  EXPECT_EQ(movement(fine, lanes({8, 4}, {8, 16}, {1, 16}, {1, 1})), Movement::InSubgroup);
  EXPECT_EQ(movement(fine, c), Movement::InSubgroup) << "lanes unknown";
  // All subgroups of a row hold 64 columns, and each lane holds its share of them; under `fine` a lane keeps a quarter of its
  // share.
  EXPECT_EQ(movement(lanes({8, 4}, {8, 64}, {2, 8}, {1, 2}), fine), Movement::InLane);
  EXPECT_EQ(movement(lanes({8, 4}, {8, 64}, {2, 8}, {1, 8}), fine), Movement::InSubgroup);
  EXPECT_EQ(movement(fine, lanes({8, 4}, {8, 64}, {2, 8}, {1, 2})), Movement::AcrossSubgroups);
  EXPECT_EQ(movement(c, make(wg({4, 4}, {16, 16}), {64, 64})), Movement::AcrossSubgroups) << "other subgroups";
}

} // namespace
} // namespace xt
