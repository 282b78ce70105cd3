#include "ir/elem_kinds.h"
#include "targets/run/roofline.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

TEST(Roofline, DrawsPointsAndARoofForEachType) {
  MachineRates f32{Elem::F32, 200e9, 20e9}, i8{Elem::I8, 800e9, 20e9};
  std::string svg = rooflineSvg({{"a <b> & c", 1e9, 1e8, 0.01, f32},
                                 {"bytes", 1e9, 1e6, 0.002, i8},
                                 {"again", 1e9, 1e7, 0.006, f32},
                                 {"nothing", 0, 1, 1, f32}});
  auto count = [&](const std::string &what) {
    size_t n = 0;
    for (size_t at = 0; (at = svg.find(what, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(count("<circle"), 3U);
  EXPECT_EQ(count("f32: 200 G"), 1U);
  EXPECT_EQ(count("i8: 800 G"), 1U);
  EXPECT_EQ(count("a &lt;b&gt; &amp; c"), 1U);
  EXPECT_EQ(count("nothing"), 0U);
  EXPECT_EQ(count("nan") + count("inf"), 0U);
  EXPECT_EQ(rooflineSvg({}).find("nan"), std::string::npos);
}

} // namespace
} // namespace xt
