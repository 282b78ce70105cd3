#include "ir/base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace xt {
namespace {

TEST(Text, JoinsAndConcatenates) {
  EXPECT_EQ(str(1, " of ", 2, 'x'), "1 of 2x");
  EXPECT_EQ(join(std::vector<int>{1, 2, 3}, ", "), "1, 2, 3");
  EXPECT_EQ(join(std::vector<int>{}, ", "), "");
  EXPECT_EQ(shapeText(std::vector<int64_t>{256, -1, 32}), "256x?x32");
}

TEST(Text, FloatsLexAsFloatsAndReadBack) {
  EXPECT_EQ(floatText(1.0), "1.0");
  EXPECT_EQ(floatText(0.1f), "0.1");
  EXPECT_EQ(floatText(-0.0), "-0.0");
  EXPECT_EQ(floatText(0.1), "0.1");
  EXPECT_EQ(floatText(1e-5), "1e-05");
  EXPECT_EQ(floatText(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(floatText(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(floatText(std::nan("")), "nan");
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    double value = std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 200) - 160);
    ASSERT_EQ(std::stod(floatText(value)), value);
  }
}

TEST(Text, EditDistanceCountsASwapOnce) {
  EXPECT_EQ(editDistance("load", "load"), 0u);
  EXPECT_EQ(editDistance("laod", "load"), 1u);
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
}

TEST(Text, SuggestsOnlyWhatIsNear) {
  std::vector<std::string_view> names = {"load_tile", "store_tile", "or"};
  EXPECT_EQ(closestName("load_tyle", names), "load_tile");
  EXPECT_EQ(closestName("ad", names), "");
  EXPECT_EQ(closestName("something_else", names), "");
}

TEST(Text, Ordinals) {
  EXPECT_EQ(ordinal(1), "1st");
  EXPECT_EQ(ordinal(2), "2nd");
  EXPECT_EQ(ordinal(3), "3rd");
  EXPECT_EQ(ordinal(11), "11th");
  EXPECT_EQ(ordinal(12), "12th");
  EXPECT_EQ(ordinal(21), "21st");
  EXPECT_EQ(ordinal(113), "113th");
}

} // namespace
} // namespace xt
