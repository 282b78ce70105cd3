#include "targets/run/check.h"

#include "ir/elem_kinds.h"
#include "run_helper.h"
#include "targets/run/pattern.h"

#include <cmath>

namespace xt {
namespace {

// Evaluates `check left == right` on expressions.
class Compared : public TestedProgram {
public:
  Compared(const std::string &statements, const std::string &check)
      : TestedProgram("test \"t\" {\n" + statements + "\ncheck " + check + "\n}\n"), left_(statements, sideOf(check, true)),
        right_(statements, sideOf(check, false)) {
    if (!module || !left_.ok() || !right_.ok()) return;
    EvalSite site{budget, diagnostics, 2, true, {}, nullptr};
    auto made = Comparison::make(site, *left_.array, *right_.array, module->tests[0].body.back());
    if (made) comparison = *made;
  }
  CompareResult result() const { return compareAll(*comparison, 2); }
  bool passes() const { return comparison && result().different == 0; }

  std::optional<Comparison> comparison;

private:
  static std::string sideOf(const std::string &check, bool left) {
    size_t at = check.find(" == ");
    std::string side = left ? check.substr(0, at) : check.substr(at + 4);
    for (const char *word : {" exactly", " within"})
      if (size_t end = side.find(word); end != std::string::npos) side.resize(end);
    return side;
  }
  Expression left_, right_;
};

TEST(Check, ExactReferencesPassOnlyTheirRounding) {
  const char *kX = "%X = fill(0.1) : memref<4xf16>\n%D = fill(0.1) : memref<4xf64>\n%Y = fill(0.0999755859375) : memref<4xf16>";
  EXPECT_TRUE(Compared(kX, "%X == %D").passes());
  EXPECT_TRUE(Compared(kX, "%Y == %X").passes()); // both have the same value
  const char *kNext =
      "%X = fill(1.0) : memref<4xf16>\n%D = fill(1.0004) : memref<4xf64>\n%Y = fill(1.0009765625) : memref<4xf16>";
  EXPECT_TRUE(Compared(kNext, "%X == %D").passes());
  EXPECT_FALSE(Compared(kNext, "%Y == %D").passes());
}

TEST(Check, Overrides) {
  const char *kX = "%X = fill(1.001) : memref<4xf32>\n%I = fill(7) : memref<4xi32>";
  EXPECT_FALSE(Compared(kX, "%X == 1.0").passes());
  EXPECT_FALSE(Compared(kX, "%X == 1.0 within atol = 0.0009").passes());
  EXPECT_TRUE(Compared(kX, "%X == 1.0 within atol = 0.0011").passes());
  EXPECT_TRUE(Compared(kX, "%X == 1.0 within rtol = 0.0011").passes());
  EXPECT_FALSE(Compared(kX, "%X == 1.0 within ulp = 8000").passes());
  EXPECT_TRUE(Compared(kX, "%X == 1.0 within ulp = 9000").passes());
  EXPECT_TRUE(Compared(kX, "%X == 1.001 exactly").passes());
  EXPECT_FALSE(Compared(kX, "%X == 1.0010003 exactly").passes());
  EXPECT_TRUE(Compared(kX, "%I == 7 exactly").passes());
  EXPECT_FALSE(Compared(kX, "%I == 8").passes());
  EXPECT_TRUE(Compared(kX, "%I == 8 within atol = 1").passes());
}

TEST(Check, NansAndInfinities) {
  const char *kX = "%N = fill(nan) : memref<4xf32>\n%P = fill(inf) : memref<4xf32>\n%O = fill(1.0) : memref<4xf32>\n"
                   "%H = fill(inf) : memref<4xf16>";
  EXPECT_TRUE(Compared(kX, "%N == %N").passes());
  EXPECT_FALSE(Compared(kX, "%N == %O").passes());
  EXPECT_FALSE(Compared(kX, "%O == %N").passes());
  EXPECT_FALSE(Compared(kX, "%N == %O within atol = inf").passes());
  EXPECT_TRUE(Compared(kX, "%P == %P").passes());
  EXPECT_FALSE(Compared(kX, "%P == 0.0 - %P").passes());
  EXPECT_FALSE(Compared(kX, "%O == %P").passes());
  EXPECT_FALSE(Compared(kX, "%O == %P within rtol = 1").passes());
  EXPECT_TRUE(Compared(kX, "%H == 70000.0").passes()); // 70000 rounds to inf in f16
  EXPECT_TRUE(Compared(kX, "%H == 70000.0 within ulp = 1").passes());
  EXPECT_TRUE(Compared(kX, "%H == 65000.0 within rtol = 0.1").passes()); // a value close enough to 65000 rounds to inf
  EXPECT_FALSE(Compared(kX, "%H == 65000.0 within rtol = 0.001").passes());
  EXPECT_FALSE(Compared(kX, "%H == 60000.0").passes());
  EXPECT_FALSE(Compared(kX, "%H == -70000.0").passes());
}

TEST(Check, ShapesMustAgree) {
  Compared c("%X = fill(1.0) : memref<4x1xf32>\n%Y = fill(1.0) : memref<1x4xf32>", "%X == %Y");
  EXPECT_FALSE(c.comparison.has_value());
  EXPECT_NE(c.messages().find("the left is 4x1, the right 1x4"), std::string::npos);
}

TEST(Check, FirstAndWorst) {
  Compared c("%X = from (i, j) => where(i == 2, where(j == 3, 9.0, 1.5), 1.0) : memref<4x8xf32>", "%X == 1.0");
  CompareResult r = c.result();
  EXPECT_EQ(r.compared, 32);
  EXPECT_EQ(r.different, 8);
  EXPECT_EQ(r.first, 16);
  EXPECT_EQ(r.worst, 19);
}

TEST(Check, OutputRoundingIsAdded) {
  // The error bound of the product in f32 is tiny compared with the spacing of f16.
  const char *kX = "%A = fill(0.3) : memref<4xf32>\n%X = fill(0.09) : memref<4xf16>";
  Compared c(kX, "%X == %A * %A");
  ASSERT_TRUE(c.comparison);
  double expected = c.comparison->expectedAt(0);
  EXPECT_TRUE(c.comparison->wouldPass(roundTo(Elem::F16, expected), 0));
  EXPECT_FALSE(c.comparison->wouldPass(roundTo(Elem::F16, expected) + 0x1p-14, 0));
  EXPECT_NEAR(c.comparison->boundAt(0), 0x1p-15, 0x1p-18);
}

TEST(Check, ValueText) {
  EXPECT_EQ(valueText(0.1f, Elem::F32), "0.1");
  EXPECT_EQ(valueText(0.333251953125, Elem::F16), "0.33325195");
  EXPECT_EQ(valueText(1.0 / 3, std::nullopt), "0.333333333");
  EXPECT_EQ(valueText(-3, Elem::I32), "-3");
  EXPECT_EQ(valueText(-INFINITY, Elem::F32), "-inf");
}

// --- patterns --------------------------------------------------------------------------------------------------------

template <class F> std::string regionOf(std::vector<int64_t> shape, F set) {
  MemoryBudget budget(1 << 20);
  int64_t count = *elementCount(shape);
  auto mask = Elements<uint8_t>::make(budget, count, "test");
  EXPECT_TRUE(mask.ok());
  for (int64_t i = 0; i < count; ++i)
    (*mask)[i] =
        set(i / shape.back() % shape[shape.size() - 2], i % shape.back(), i / shape.back() / shape[shape.size() - 2]) ? 1 : 0;
  return describeRegion(*mask, shape);
}

TEST(Pattern, Regions) {
  auto rc = [](auto f) { return [f](int64_t r, int64_t c, int64_t) { return f(r, c); }; };
  std::vector<int64_t> shape = {64, 96};
  EXPECT_EQ(regionOf(shape, rc([](int64_t, int64_t) { return true; })), "every element");
  EXPECT_EQ(regionOf(shape, rc([](int64_t, int64_t) { return false; })), "");
  EXPECT_EQ(regionOf(shape, rc([](int64_t r, int64_t c) { return r == 3 && c == 4; })), "one element");
  EXPECT_EQ(regionOf(shape, rc([](int64_t r, int64_t) { return r >= 48; })), "only rows >= 48");
  EXPECT_EQ(regionOf(shape, rc([](int64_t r, int64_t) { return r < 16; })), "only rows < 16");
  EXPECT_EQ(regionOf(shape, rc([](int64_t, int64_t c) { return c >= 90; })), "only columns >= 90");
  EXPECT_EQ(regionOf(shape, rc([](int64_t r, int64_t) { return r % 16 >= 8; })), "rows 8–15 of each block of 16");
  EXPECT_EQ(regionOf(shape, rc([](int64_t, int64_t c) { return c % 32 == 5; })), "column 5 of each block of 32");
  EXPECT_EQ(regionOf(shape, rc([](int64_t r, int64_t c) { return r >= 8 && r < 16 && c >= 32 && c < 64; })),
            "the rectangle of rows 8–15 and columns 32–63");
  EXPECT_EQ(regionOf(shape, rc([](int64_t r, int64_t c) { return (r * 7 + c * 13) % 29 == 0; })), "");
  EXPECT_EQ(regionOf(shape, rc([](int64_t r, int64_t c) { return (r + c) % 50 != 0; })), "nearly every element");
  EXPECT_EQ(regionOf({3, 8, 8}, [](int64_t r, int64_t, int64_t b) { return b == 1 && r >= 4; }), "only rows >= 4 in batch 1");
}

TEST(Pattern, Values) {
  const std::string kA = "%A = random(seed = 1) : memref<16x64xf32>\n%B = random(seed = 2) : memref<64x16xf32>\n";
  struct Case {
    const char *wrong, *guess;
  };
  const Case kCases[] = {{"matmul(%A, %B) * 2.0", "the result is 2 times the expected value"},
                         {"matmul(%A, %B) * 0.0", "the result is 0 wherever it differs"},
                         {"transpose(matmul(%A, %B))", "the result is transposed"},
                         {"matmul(%A[:, 0:48], %B[0:48])", "last K step missing: k = 48–63"},
                         {"matmul(%A[:, 16:], %B[16:])", "first K step missing: k = 0–15"},
                         {"matmul(%A, %B) + matmul(%A[:, 32:], %B[32:])", "last K step counted twice: k = 32–63"}};
  for (const Case &c : kCases) {
    Expression got(kA, c.wrong), expected(kA, "matmul(%A, %B)"), a(kA, "%A"), b(kA, "%B");
    ASSERT_TRUE(got.ok() && expected.ok()) << got.messages();
    got.array->errors = {};
    got.array->elem = Elem::F32;
    TestedProgram program("");
    EvalSite site{program.budget, program.diagnostics, 1, true, {}, nullptr};
    auto comparison = Comparison::make(site, *got.array, *expected.array, HostStmt());
    ASSERT_TRUE(comparison.ok());
    auto mask = failureMask(*comparison, program.budget, 1);
    ASSERT_TRUE(mask.ok());
    auto guesses = guessValues(*comparison, *mask, [&](int64_t i) {
      std::vector<double> terms;
      for (int64_t k = 0; k < 64; ++k) terms.push_back(a.at(i / 16 * 64 + k) * b.at(k * 16 + i % 16));
      return terms;
    });
    ASSERT_EQ(guesses.size(), 1u) << c.wrong;
    EXPECT_EQ(guesses[0], c.guess);
  }
}

TEST(Pattern, Shift) {
  const char *kX = "%X = random(seed = 1) : memref<10x10xf32>\n";
  Compared c(kX, "%X[1:9, 1:9] == %X[2:10, 1:9] within atol = 0.0001");
  ASSERT_TRUE(c.comparison);
  auto mask = failureMask(*c.comparison, c.budget, 1);
  ASSERT_TRUE(mask.ok());
  EXPECT_EQ(guessValues(*c.comparison, *mask, {}), std::vector<std::string>{"the result is shifted one row down"});
}

} // namespace
} // namespace xt
