// Tests the tables of numbers that would fit: compares them with examples, and tries each number in them.
#include "tests/ir/layout/layout_fixture.h"

#include <random>
#include <sstream>

namespace xt {
namespace {

std::string tableOf(const LayoutSpec &spec, const Extents &shape) {
  Context context;
  LayoutOrError result = makeLayout(context, spec, shape);
  const LayoutError *error = std::get_if<LayoutError>(&result);
  return error ? error->table : "it fits";
}

TEST(LayoutAdvice, BlocksAndCounts) {
  EXPECT_EQ(tableOf(wg({4, 1}, {32, 8}), {48, 8}), "values that fit extent 48 (dimension 0)\n"
                                                   "  with sg_layout = 4: sg_data = 1, 2, 3, 4, 6, 12, 24*, 48*\n"
                                                   "  with sg_data = 32: no sg_layout\n"
                                                   "  * wraps around: several owners hold the same elements\n");
  // 3 * 32 = 96 is twice the extent, but the subgroups' blocks start at different positions and overlap in parts.
  EXPECT_EQ(tableOf(wg({3}, {32}), {48}), "values that fit extent 48 (dimension 0)\n"
                                          "  with sg_layout = 3: sg_data = 1, 2, 4, 8, 16, 48*\n"
                                          "  with sg_data = 32: no sg_layout\n"
                                          "  * wraps around: several owners hold the same elements\n");
  EXPECT_EQ(tableOf(wg({5}, {8}), {64}), "values that fit extent 64 (dimension 0)\n"
                                         "  with sg_layout = 5: sg_data = 64*\n"
                                         "  with sg_data = 8: sg_layout = 1, 2, 4, 8, 16*, 32*, 64*\n"
                                         "  * wraps around: several owners hold the same elements\n");
  EXPECT_EQ(tableOf(wg({12}, {8}), {64}), "values that fit extent 64 (dimension 0)\n"
                                          "  with sg_layout = 12: sg_data = 16*, 32*, 64*\n"
                                          "  with sg_data = 8: sg_layout = 1, 2, 4, 8, 16*, 32*, 64*\n"
                                          "  * wraps around: several owners hold the same elements\n");
}

TEST(LayoutAdvice, Lanes) {
  EXPECT_EQ(tableOf(sg({1, 16}, {8, 1}), {16, 8}), "values that fit extent 8 (dimension 1)\n"
                                                   "  with wi_layout = 16: no wi_data\n"
                                                   "  with wi_data = 1: wi_layout = 1, 2, 4, 8\n");
  LayoutSpec both = wg({2}, {32});
  both.sg = SgMap{{3}, {4}};
  EXPECT_EQ(tableOf(both, {64}), "values that fit sg_data = 32 (dimension 0)\n"
                                 "  with wi_layout = 3: no wi_data\n"
                                 "  with wi_data = 4: wi_layout = 1, 2, 4, 8\n");
}

TEST(LayoutAdvice, Products) {
  LayoutSpec spec;
  spec.nested = NestedLayout{{2}, {2}, {1}, {4}, {1}, {1}, {1}};
  EXPECT_EQ(tableOf(spec, {20}), "values that fit extent 20 (dimension 0), if only one changes\n  thread_tile[0] = 5\n");
  spec.nested = NestedLayout{{2}, {2}, {1}, {4}, {3}, {1}, {1}};
  EXPECT_EQ(tableOf(spec, {7}), "");
  LayoutSpec general;
  general.factors = FactorMap{{{{2, Axis::Subgroup, 1}, {3, Axis::Register, 1}}}, {}};
  EXPECT_EQ(tableOf(general, {8}), "values that fit extent 8 (dimension 0), if only one changes\n  the 2nd factor = 4\n");
}

TEST(LayoutAdvice, HugeExtentsAreNotTried) {
  int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(tableOf(wg({3}, {huge}), {huge - 1}), "");
  EXPECT_EQ(tableOf(wg({3}, {5}), {huge}), "");
}

// Tries each number in the tables for random layouts.
TEST(LayoutAdvice, WhatItNamesFits) {
  Context context;
  std::mt19937_64 random(7);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  int tried = 0;
  for (int round = 0; round < 2000; ++round) {
    int64_t extent = 1 + below(100);
    LayoutSpec spec = wg({1 + below(12)}, {1 + below(40)});
    bool lanes = below(2) == 0;
    if (lanes) spec.sg = SgMap{{1 + below(6)}, {1 + below(6)}};
    std::istringstream table(tableOf(spec, {extent}));
    std::string line;
    while (std::getline(table, line)) {
      size_t names = line.find(": "), equals = line.rfind(" = ");
      if (line.rfind("  with ", 0) != 0 || equals < names || equals == std::string::npos) continue;
      std::string name = line.substr(names + 2, equals - names - 2);
      std::istringstream values(line.substr(equals + 3));
      std::string value;
      while (std::getline(values, value, ',')) {
        LayoutSpec changed = spec;
        int64_t number = std::stoll(value);
        if (name == "sg_layout")
          changed.wg->sgLayout[0] = number;
        else if (name == "sg_data")
          changed.wg->sgData[0] = number;
        else if (name == "wi_layout")
          changed.sg->wiLayout[0] = number;
        else if (name == "wi_data")
          changed.sg->wiData[0] = number;
        else
          FAIL() << name;
        // A wg_map may still have lanes that do not fit, so they are removed. In a sg_map nothing else can be wrong.
        if (name.rfind("sg", 0) == 0) changed.sg.reset();
        const Layout *layout = made(context, changed, {extent});
        ASSERT_NE(layout, nullptr) << spec.text() << " on " << extent << ": " << line << " at " << number;
        if (name.rfind("sg", 0) == 0) {
          EXPECT_EQ(layout->isReplicated(Axis::Subgroup), value.back() == '*') << line;
        }
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 2000);
}

} // namespace
} // namespace xt
