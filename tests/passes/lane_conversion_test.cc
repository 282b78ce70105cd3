// What conversions between layouts of 16 lanes cost, as a table, and which way is chosen.
#include "passes/lane_conversion.h"

#include "ir/base/text.h"
#include "tests/golden.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

const std::vector<int64_t> kShape = {16, 16};

struct Named {
  std::string_view name;
  LayoutSpec spec;
};

LayoutSpec sgMap(std::vector<int64_t> lanes, std::vector<int64_t> data) {
  LayoutSpec spec;
  spec.sg = SgMap{std::move(lanes), std::move(data)};
  return spec;
}

LayoutSpec copies() {
  LayoutSpec spec;
  spec.factors = FactorMap{{{{16, Axis::Register, 1}}, {{16, Axis::Register, 1}}}, {{16, Axis::Lane, 1}}};
  return spec;
}

std::vector<Named> layouts() {
  return {{"rows", sgMap({16, 1}, {1, 16})},
          {"columns", sgMap({1, 16}, {1, 1})},
          {"squares", sgMap({4, 4}, {4, 4})},
          {"pairs", sgMap({2, 8}, {1, 2})},
          {"copies", copies()}};
}

const Layout *make(Context &context, const LayoutSpec &spec) {
  return std::get<const Layout *>(makeLayout(context, spec, kShape));
}

TEST(LaneConversion, CostsOf16x16f32) {
  Context context;
  std::string table = "16x16xf32 on 16 lanes; each lane executes:\n";
  for (const Named &from : layouts())
    for (const Named &to : layouts()) {
      if (from.name == to.name) continue;
      ConversionCost cost = conversionCost(make(context, from.spec), make(context, to.spec), 4);
      table += str(from.name, " to ", to.name, ": ", text(cost.registers), ", or ", memoryText(cost),
                   "; chosen: ", cost.prefersMemory() ? "shared local memory" : "registers", "\n");
    }
  test::expectGolden(std::filesystem::path(XT_SOURCE_DIR) / "tests/passes/lane_conversion.txt", table);
}

TEST(LaneConversion, NothingIsShuffledThatALaneHolds) {
  Context context;
  for (const Named &from : layouts())
    for (const Named &to : layouts()) {
      const Layout *a = make(context, from.spec), *b = make(context, to.spec);
      bool inLane = movement(a, b) == Movement::None || movement(a, b) == Movement::InLane;
      EXPECT_EQ(shuffleCost(a, b).shuffles == 0, inLane) << from.name << " to " << to.name;
    }
}

} // namespace
} // namespace xt
