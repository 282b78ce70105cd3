// Tests which elements a check bounds too loosely, judged by the expected values around them.
#include "targets/run/looseness.h"

#include "run_helper.h"

#include <cmath>

namespace xt {
namespace {

// Returns the looseness of `check %C == %X within rtol, atol`, where X is a formula of (i, j).
Looseness loosenessOf(const std::string &formula, double rtol, double atol, const std::string &shape = "16x16") {
  Expression expected("%X = from (i, j) => " + formula + " : memref<" + shape + "xf32>", "%X");
  HostStmt check;
  check.tolerance = HostStmt::Tolerance::RelAbs;
  check.rtol = rtol;
  check.atol = atol;
  EvalSite site{expected.budget, expected.diagnostics, 2, true, {}, nullptr};
  auto comparison = Comparison::make(site, *expected.array, *expected.array, check);
  EXPECT_TRUE(comparison);
  return findLooseness(*comparison, 0, 2);
}
int64_t looseElements(const std::string &formula, double rtol, double atol, const std::string &shape = "16x16") {
  return loosenessOf(formula, rtol, atol, shape).elements;
}

TEST(Looseness, OneLargeRowHidesNoOther) {
  Looseness rows = loosenessOf("where(i == 0, 1000000, 0.5)", 0, 1);
  EXPECT_EQ(rows.elements, 15 * 16);
  EXPECT_EQ(rows.first, 16);
  EXPECT_EQ(rows.scale, 0.5);
  EXPECT_EQ(looseElements("where(j == 3, 1000000, 0.5)", 0, 1), 15 * 16);
  EXPECT_EQ(looseElements("where(i == 0, 1000000, 0.5)", 0, 0.4), 0);
}

TEST(Looseness, LargeElementsHideNoOtherOfTheirRows) {
  EXPECT_EQ(looseElements("where(i == j, 1000000, 0.5)", 0, 1), 16 * 15);
  EXPECT_EQ(looseElements("where(i == j, 1000000, 0.5)", 1e-3, 0.4), 0) << "a relative bound of a large element is not loose";
}

TEST(Looseness, SmallValuesAmongOthersAreMeasuredByThem) {
  EXPECT_EQ(looseElements("((i*7 + j*5) mod 16) / 16.0", 0, 0.3), 0);
  EXPECT_EQ(looseElements("where(i < 4, 0.0, 1.0)", 0, 0.1), 0) << "rows of zeros";
  EXPECT_EQ(looseElements("where(i >= j, 1.0, 0.0)", 0, 0.1), 0) << "a triangle";
  EXPECT_EQ(looseElements("where(i == 5, 0.001, 1.0)", 0, 0.1, "16x2"), 0) << "two values may both be small by chance";
  EXPECT_EQ(looseElements("where(i == 5, 0.001, 1.0)", 0, 0.1, "16x4"), 4);
}

// In row 2 all values are equal, so their differences from the mean are only rounding errors of f64.
TEST(Looseness, RowsThatCancelAreMeasuredByTheColumns) {
  const char *kX = "%X = from (i, j) => where(i == 2, 0.1, (i*7 + j*5) mod 16) : memref<16x11xf32>";
  Expression left(kX, "%X"), right(kX, "%X * 0.3 - mean(%X * 0.3, 1)");
  ASSERT_TRUE(left.ok() && right.ok());
  ASSERT_NE(right.at(2 * 11), 0);
  ASSERT_LT(std::fabs(right.at(2 * 11)), 1e-15);
  EvalSite site{right.budget, right.diagnostics, 2, true, {}, nullptr};
  auto comparison = Comparison::make(site, *left.array, *right.array, HostStmt());
  ASSERT_TRUE(comparison);
  EXPECT_EQ(findLooseness(*comparison, 0, 2).elements, 0);
}

TEST(Looseness, OneDimension) {
  EXPECT_EQ(looseElements("1.0", 0, 0.5, "1x8"), 0);
  EXPECT_EQ(looseElements("1.0", 0, 1.5, "1x8"), 8);
  EXPECT_EQ(looseElements("1.0", 0, 1.5, "8x1"), 8);
  EXPECT_EQ(looseElements("where(j == 2, 0.001, 1.0)", 0, 0.5, "1x8"), 0);
  EXPECT_EQ(looseElements("2.0", 0, 1.5, "1x1"), 0);
  EXPECT_EQ(looseElements("0.0", 0, 1.5, "1x1"), 1);
}

} // namespace
} // namespace xt
