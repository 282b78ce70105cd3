// Compares error bounds with arithmetic performed in f32 and f16: errors must never exceed the bounds, and the bounds must not
// be too loose.
#include "ir/elem_kinds.h"
#include "run_helper.h"
#include "targets/run/init.h"

#include <cmath>
#include <random>

namespace xt {
namespace {

// Random f32 data of %A and %B for a simulated kernel; buffers() defines the same data for an expression.
struct Data {
  std::vector<float> a, b;
};
Data dataOf(int64_t rows, int64_t k, int64_t columns, uint64_t seed) {
  Data d;
  for (int64_t i = 0; i < rows * k; ++i)
    d.a.push_back(
        static_cast<float>(-1 + 2 * (static_cast<double>(splitMix64(seed, static_cast<uint64_t>(i)) >> 11) * 0x1p-53)));
  for (int64_t i = 0; i < k * columns; ++i)
    d.b.push_back(
        static_cast<float>(-1 + 2 * (static_cast<double>(splitMix64(seed + 1, static_cast<uint64_t>(i)) >> 11) * 0x1p-53)));
  return d;
}
std::string buffers(int64_t rows, int64_t k, int64_t columns, uint64_t seed, const char *type = "f32") {
  return "%A = random(seed = " + std::to_string(seed) + ") : memref<" + std::to_string(rows) + "x" + std::to_string(k) + "x" +
         type + ">\n" + "%B = random(seed = " + std::to_string(seed + 1) + ") : memref<" + std::to_string(k) + "x" +
         std::to_string(columns) + "x" + type + ">";
}

class Ratio {
public:
  explicit Ratio(const char *what) : what_(what) {}
  ~Ratio() { std::printf("  %s: largest error / bound = %.3f over %ld values\n", what_, largest_, count_); }
  void add(double kernel, double host, double bound) {
    ++count_;
    double d = std::fabs(kernel - host);
    if (d == 0) return;
    ASSERT_LE(d, bound) << what_ << ": " << kernel << " against " << host;
    largest_ = std::max(largest_, d / bound);
  }
  double largest() const { return largest_; }

private:
  const char *what_;
  double largest_ = 0;
  long count_ = 0;
};

TEST(ErrorBound, MatmulInF32) {
  for (int64_t k : {3, 64, 1000, 4096}) {
    Ratio ratio("f32 matmul, one accumulator");
    for (uint64_t seed = 1; seed <= 9; seed += 2) {
      constexpr int64_t m = 16, n = 16;
      Data d = dataOf(m, k, n, seed);
      Expression e(buffers(m, k, n, seed), "matmul(%A, %B)");
      ASSERT_TRUE(e.ok());
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          float sum = 0;
          for (int64_t q = 0; q < k; ++q) sum += d.a[static_cast<size_t>(i * k + q)] * d.b[static_cast<size_t>(q * n + j)];
          ratio.add(sum, e.at(i * n + j), e.error(i * n + j));
        }
    }
    EXPECT_GT(ratio.largest(), 0.002) << "the bound is absurdly loose at K = " << k;
  }
}

// A kernel that starts its sums at the content of C rounds each partial sum at C's magnitude. A kernel that computes the
// product first and then adds C does not.
TEST(ErrorBound, MatmulThatStartsFromC) {
  constexpr int64_t m = 16, n = 16, k = 1000;
  Ratio ratio("f32 matmul that adds to C");
  Data d = dataOf(m, k, n, 3);
  std::string all = buffers(m, k, n, 3) + "\n%C = fill(700000.0) : memref<16x16xf32>";
  Expression e(all, "matmul(%A, %B, %C)"), apart(all, "%C + matmul(%A, %B)");
  ASSERT_TRUE(e.ok() && apart.ok()) << e.messages();
  int64_t outside = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 700000;
      for (int64_t q = 0; q < k; ++q) sum += d.a[static_cast<size_t>(i * k + q)] * d.b[static_cast<size_t>(q * n + j)];
      ratio.add(sum, e.at(i * n + j), e.error(i * n + j));
      outside += std::fabs(sum - apart.at(i * n + j)) > apart.error(i * n + j);
    }
  EXPECT_GT(ratio.largest(), 0.002);
  EXPECT_GT(outside, 0);
}

// The kernel rounds to f16 after every 8 products, as a 16-bit accumulator may.
TEST(ErrorBound, MatmulWithF16Accumulator) {
  for (int64_t k : {8, 64, 512}) {
    Ratio ratio("f16 accumulator");
    for (uint64_t seed = 1; seed <= 9; seed += 2) {
      constexpr int64_t m = 16, n = 16;
      Expression e(buffers(m, k, n, seed, "f16"), "matmul(%A, %B, acc = f16)"), a(buffers(m, k, n, seed, "f16"), "%A"),
          b(buffers(m, k, n, seed, "f16"), "%B");
      ASSERT_TRUE(e.ok() && a.ok() && b.ok());
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (int64_t q = 0; q < k; q += 8) {
            float part = static_cast<float>(sum);
            for (int64_t p = q; p < q + 8; ++p) part += static_cast<float>(a.at(i * k + p) * b.at(p * n + j));
            sum = roundTo(Elem::F16, part);
          }
          ratio.add(sum, e.at(i * n + j), e.error(i * n + j));
        }
    }
    EXPECT_GT(ratio.largest(), 0.01);
  }
}

// Terms that are 0 do not round, but each of the other terms may be the only one in its group of 8 products.
TEST(ErrorBound, SparseMatmulWithF16Accumulator) {
  auto error = [](const std::string &where) {
    Expression e("%A = from (i, j) => where(" + where + ", 0.75, 0.0) : memref<1x128xf16>\n%B = fill(0.25) : memref<128x1xf16>",
                 "matmul(%A, %B, acc = f16)");
    EXPECT_TRUE(e.ok());
    return e.error(0);
  };
  auto roundings = [](int groups, int terms) { return 6 * std::sqrt(groups) * 0x1p-11 * terms * 0.75 * 0.25; };
  EXPECT_NEAR(error("j >= 0"), roundings(16, 128), 0.01 * roundings(16, 128));
  EXPECT_NEAR(error("j mod 8 == 0"), roundings(16, 16), 0.01 * roundings(16, 16));
  EXPECT_NEAR(error("j mod 64 == 0"), roundings(2, 2), 0.01 * roundings(2, 2));
}

TEST(ErrorBound, SumsInF32) {
  for (int64_t k : {2, 100, 10000}) {
    Ratio ratio("f32 sum");
    for (uint64_t seed = 1; seed <= 41; seed += 2) {
      Data d = dataOf(1, k, 1, seed);
      Expression e(buffers(1, k, 1, seed), "sum(%A)");
      ASSERT_TRUE(e.ok());
      float sum = 0;
      for (float x : d.a) sum += x;
      ratio.add(sum, e.at(0), e.error(0));
    }
  }
}

// Each case is a chain of elementwise operations, each of which is rounded to f32.
TEST(ErrorBound, ElementwiseChains) {
  struct Case {
    const char *text;
    float (*kernel)(float, float);
  };
  const Case kCases[] = {
      {"(%A + %B) * %A - %B / (%A * %A + 1.0)", [](float x, float y) { return (x + y) * x - y / (x * x + 1.0f); }},
      {"exp(%A * 3.0) / (1.0 + exp(%B))", [](float x, float y) { return std::exp(x * 3.0f) / (1.0f + std::exp(y)); }},
      {"tanh(%A + %B * %B) * erf(%A)", [](float x, float y) { return std::tanh(x + y * y) * std::erf(x); }},
      {"max(%A * %B, %A + %B) - min(%A * %B, 0.0)",
       [](float x, float y) { return std::max(x * y, x + y) - std::min(x * y, 0.0f); }},
      {"remf(%A * 5.0, 0.75) - maxnumf(%A * %B, minnumf(%A + %B, 0.25))",
       [](float x, float y) { return std::fmod(x * 5.0f, 0.75f) - std::fmax(x * y, std::fmin(x + y, 0.25f)); }},
      {"where(%A * %B > %A - %B, exp(%A), cos(%B))",
       [](float x, float y) { return x * y > x - y ? std::exp(x) : std::cos(y); }},
      {"log(%A * %A + 1.0) + sqrt(%B * %B) - rsqrt(%A * %A + 2.0)",
       [](float x, float y) { return std::log(x * x + 1.0f) + std::sqrt(y * y) - 1.0f / std::sqrt(x * x + 2.0f); }},
      {"abs(sin(%A * 10.0) - %B) * pow(%A * %A + 1.0, %B)",
       [](float x, float y) { return std::fabs(std::sin(x * 10.0f) - y) * std::pow(x * x + 1.0f, y); }},
      {"floor(%A * 8.0) * %B + (%A * 5.0) mod 3.0", [](float x, float y) {
         float p = x * 5.0f, m = std::fmod(p, 3.0f);
         return std::floor(x * 8.0f) * y + (m < 0 ? m + 3.0f : m);
       }}};
  for (const Case &c : kCases) {
    Ratio ratio(c.text);
    for (uint64_t seed = 1; seed <= 5; seed += 2) {
      Data d = dataOf(64, 64, 64, seed);
      Expression e(buffers(64, 64, 64, seed), c.text);
      ASSERT_TRUE(e.ok()) << e.messages();
      for (int64_t i = 0; i < 64 * 64; ++i)
        ratio.add(c.kernel(d.a[static_cast<size_t>(i)], d.b[static_cast<size_t>(i)]), e.at(i), e.error(i));
    }
    EXPECT_GT(ratio.largest(), 0.02) << c.text;
  }
}

// Partial sums that are exact in the written order may round in another one.
TEST(ErrorBound, SumsOfTermsInAnyOrder) {
  const std::string big = "%A = fill(1.0) : memref<4xf32>\n%B = fill(16777216.0) : memref<4xf32>\n"
                          "%C = from (i) => 1 - 2 * i : memref<4xf32>";
  // (1 + 2^24) rounds to 2^24, so that a kernel may have 0 for 1.
  Expression e(big, "%A + (%B - %B)");
  ASSERT_TRUE(e.ok()) << e.messages();
  EXPECT_EQ(e.at(0), 1);
  EXPECT_GE(e.error(0), 1);
  EXPECT_LE(e.error(0), 4.01);
  EXPECT_TRUE(Expression(big, "%B - %B").array->exact()) << "two terms have one order";
  EXPECT_TRUE(Expression(big, "%A + %C - 3").array->exact()) << "small integers";
  EXPECT_TRUE(Expression(big, "%A * 0.375 + %C * 0.5 - %C / 8").array->exact()) << "multiples of 1/8";
  EXPECT_FALSE(Expression(big, "%A * 0.375 + 0.1 - %C").array->exact());
  EXPECT_FALSE(Expression(big, "%A / 3 + %C - %C").array->exact()) << "a term has an error";
  Expression wide("%A = fill(1.0) : memref<4xf64>\n%B = fill(16777216.0) : memref<4xf64>", "%A + (%B - %B)");
  EXPECT_TRUE(wide.array->exact()) << "f64 holds all partial sums";
  // f64: up to 2^53, magnitudes below the limit are exact.
  const std::string limit = "%A = fill(9007199254740992.0) : memref<4xf64>\n%B = fill(1.0) : memref<4xf64>";
  EXPECT_GE(Expression(limit, "%A + (%B - %B)").error(0), 1);
  EXPECT_TRUE(Expression(limit, "%A / 2 + (%B - %B)").array->exact());
  // Integers are exact, and make one term.
  const std::string ints = "%I = fill(1000000000) : memref<4xi32>\n%X = fill(0.1) : memref<4xf32>";
  EXPECT_LT(Expression(ints, "(%I - %I) + %X").error(0), 1e-8);
  EXPECT_LT(Expression(ints, "%X + (16777216 - 16777215)").error(0), 1e-7);
  EXPECT_GT(Expression(ints, "%I - 0.5 - %I + %X").error(0), 50);
  // A part in f32 has the bound that it would have by itself.
  const std::string mixed = big + "\n%W = fill(0.1) : memref<4xf64>";
  EXPECT_GE(Expression(mixed, "(%A + (%B - %B)) + %W").error(0), 1);
  EXPECT_GE(Expression(mixed, "%W - (%A + %B - %B)").error(0), 1);
  // Shapes of terms may differ.
  const std::string shapes = "%A = fill(1.0) : memref<4x1xf32>\n%B = fill(16777216.0) : memref<3xf32>";
  Expression stretched(shapes, "%A + (%B - 16777216.0)");
  ASSERT_TRUE(stretched.ok()) << stretched.messages();
  EXPECT_EQ(stretched.array->count(), 12);
  EXPECT_GE(stretched.error(11), 1);
  EXPECT_FALSE(Expression(shapes, "%A + (%B - %A) + %B[0:2]").ok());
  // Infinite terms keep the bound that they have otherwise.
  EXPECT_TRUE(Expression(big, "%A + -inf + %C").array->exact());
}

// A kernel has 0.1 in f32, whose difference from 0.1 is larger than the rounding of a small result.
TEST(ErrorBound, LiteralsAreRounded) {
  const std::string data = "%A = fill(0.1015625) : memref<4xf32>\n%W = fill(0.1015625) : memref<4xf64>";
  const double rounding = std::fabs(0.1 - static_cast<double>(0.1f));
  for (const char *text : {"%A - 0.1", "%A + -0.1", "0.1 - %A", "where(%A > 0, 0.1, %A)"}) {
    Expression e(data, text);
    ASSERT_TRUE(e.ok()) << e.messages();
    EXPECT_GE(e.error(0), rounding) << text;
    EXPECT_LE(e.error(0), 1.2 * rounding) << text;
  }
  EXPECT_NEAR(Expression(data, "%A * 0.1").error(0), 0.1015625 * (rounding + 0.1 * 0x1p-24), 1e-11);
  EXPECT_TRUE(Expression(data, "%A - 0.125").array->exact());
  EXPECT_LT(Expression(data, "%A - cast(0.1, f32)").error(0), 1e-9);
  for (const char *text : {"%W - 0.1", "%W + -0.1", "%W - 0.1 - %W", "where(%W > 0, 0.1, %W)"})
    EXPECT_LT(Expression(data, text).error(0), 1e-15) << text;
  EXPECT_LT(Expression(data + "\n%c = 0.1", "%W - %c").error(0), 1e-15) << "a name for a literal";
  EXPECT_TRUE(Expression(data, "%A * 1e39 > 0").array->exact()) << "f32 cannot hold the literal";
}

TEST(ErrorBound, RandomSumsOfTerms) {
  Ratio ratio("four terms in another order");
  for (uint64_t seed = 1; seed <= 5; seed += 2) {
    Data d = dataOf(64, 64, 64, seed);
    Expression e(buffers(64, 64, 64, seed), "%A + %B * 0.5 - %B - %A * 2.0");
    ASSERT_TRUE(e.ok()) << e.messages();
    for (int64_t i = 0; i < 64 * 64; ++i) {
      float x = d.a[static_cast<size_t>(i)], y = d.b[static_cast<size_t>(i)];
      ratio.add((x - y) + (y * 0.5f - x * 2.0f), e.at(i), e.error(i));
      ratio.add((x + (y * 0.5f - x * 2.0f)) - y, e.at(i), e.error(i));
    }
  }
  EXPECT_GT(ratio.largest(), 0.02);
}

// The kernel rounds to f16 between operations, as a cast in the expression permits.
TEST(ErrorBound, CastsOfInexactValues) {
  Ratio ratio("cast(x, f16)");
  Data d = dataOf(64, 64, 64, 5);
  Expression e(buffers(64, 64, 64, 5), "cast(%A * %B, f16) * 3.0");
  ASSERT_TRUE(e.ok());
  for (int64_t i = 0; i < 64 * 64; ++i) {
    double product = roundTo(Elem::F16, d.a[static_cast<size_t>(i)] * d.b[static_cast<size_t>(i)]);
    ratio.add(static_cast<float>(product) * 3.0f, e.at(i), e.error(i));
  }
}

// The kernel rounds a multiple to f16 and divides later, as attention kernels do.
TEST(ErrorBound, CastsOfMultiples) {
  Ratio ratio("cast of a multiple");
  Data d = dataOf(64, 64, 64, 5);
  for (float times : {1.03f, 1.37f, 1.5f, 1.9f}) {
    Expression e(buffers(64, 64, 64, 5), "cast(%A * %B, f16)");
    ASSERT_TRUE(e.ok());
    for (int64_t i = 0; i < 64 * 64; ++i) {
      double multiple = roundTo(Elem::F16, d.a[static_cast<size_t>(i)] * d.b[static_cast<size_t>(i)] * times);
      ratio.add(static_cast<float>(multiple) / times, e.at(i), e.error(i));
    }
  }
  EXPECT_GT(ratio.largest(), 0.7);
}

// In a chain of products, the error of the first one propagates through the second one.
TEST(ErrorBound, CarriedThroughMatmul) {
  Ratio ratio("matmul of exp of matmul");
  constexpr int64_t n = 24;
  Data d = dataOf(n, n, n, 3);
  Expression e(buffers(n, n, n, 3), "matmul(exp(matmul(%A, %B)), tanh(%B))");
  ASSERT_TRUE(e.ok());
  std::vector<float> p(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (size_t k = 0; k < n; ++k) sum += d.a[i * n + k] * d.b[k * n + j];
      p[i * n + j] = std::exp(sum);
    }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (size_t k = 0; k < n; ++k) sum += p[i * n + k] * std::tanh(d.b[k * n + j]);
      ratio.add(sum, e.at(static_cast<int64_t>(i * n + j)), e.error(static_cast<int64_t>(i * n + j)));
    }
}

TEST(ErrorBound, ExactWhereNothingRounds) {
  const char *kInts = "%A = ints(-4, 4, seed = 1) : memref<32x64xf16>\n%B = ints(-4, 4, seed = 2) : memref<64x32xf16>\n"
                      "%C = ints(-9, 9, seed = 3) : memref<32x32xf32>\n%H = fill(0.5) : memref<32x64xf16>";
  EXPECT_TRUE(Expression(kInts, "matmul(%A, %B)").array->exact());
  EXPECT_TRUE(Expression(kInts, "matmul(%A, %B) * 2.0 + %C").array->exact());
  EXPECT_TRUE(Expression(kInts, "sum(%A, 1)").array->exact());
  EXPECT_TRUE(Expression(kInts, "%A").array->exact());
  EXPECT_TRUE(Expression(kInts, "%A / 2").array->exact());
  EXPECT_FALSE(Expression(kInts, "%A / 3").array->exact());
  EXPECT_FALSE(Expression(kInts, "matmul(%H, %B)").array->exact());
  // 64 products of up to 16 stay below 2^11, so the sum is exact in f16 as well; in bf16 it may exceed 2^8.
  EXPECT_TRUE(Expression(kInts, "matmul(%A, %B, acc = f16)").array->exact());
  EXPECT_FALSE(Expression(kInts, "matmul(%A, %B, acc = bf16)").array->exact());
  EXPECT_TRUE(Expression(kInts, "matmul(%A, %B, %C)").array->exact());
  EXPECT_FALSE(Expression(kInts, "matmul(%A, %B, 0.5)").array->exact());
  EXPECT_FALSE(Expression(kInts, "matmul(%A, %B, %C / 3)").array->exact());
  EXPECT_FALSE(Expression(kInts, "matmul(%A, %B, 16777216)").array->exact());
  // Sums of integers are exact in f32 up to 2^24. With %D the terms sum up to 64 * 2^9 * 2^9 = 2^24, which is not accepted.
  const char *kEdge = "%A = fill(512) : memref<1x64xf32>\n%B = fill(511) : memref<64x1xf32>\n%D = fill(512) : memref<64x1xf32>";
  EXPECT_TRUE(Expression(kEdge, "matmul(%A, %B)").array->exact());
  EXPECT_FALSE(Expression(kEdge, "matmul(%A, %D)").array->exact());
}

TEST(ErrorBound, FormulaOfAMatmul) {
  const char *kHalf = "%A = fill(0.5) : memref<1x100xf32>\n%B = fill(-0.5) : memref<100x1xf32>";
  Expression e(kHalf, "matmul(%A, %B)");
  ASSERT_TRUE(e.ok());
  EXPECT_EQ(e.at(0), -25);
  EXPECT_NEAR(e.error(0), 6 * 10 * 0x1p-24 * 25, 6 * 10 * 0x1p-24 * 25 * 1e-3);
  Expression wide("%A = fill(0.5) : memref<1x100xf64>\n%B = fill(-0.5) : memref<100x1xf64>", "matmul(%A, %B)");
  EXPECT_LT(wide.error(0), 6 * 10 * 0x1p-51 * 25);
  EXPECT_GT(wide.error(0), 6 * 10 * 0x1p-53 * 25);
}

TEST(ErrorBound, BothBranchesCountWithinTheError) {
  // 0.1 + 0.2 is rounded, so its comparison with 0.3 is uncertain, and either branch is correct.
  const char *kX = "%X = fill(0.1) : memref<1xf64>\n%Y = fill(0.2) : memref<1xf64>";
  Expression open(kX, "where(cast(%X, f32) + cast(%Y, f32) > 0.3, 5.0, 7.0)");
  ASSERT_TRUE(open.ok()) << open.messages();
  EXPECT_GE(open.error(0), 2);
  Expression closed(kX, "where(cast(%X, f32) + cast(%Y, f32) > 0.4, 5.0, 7.0)");
  EXPECT_EQ(closed.error(0), 0);
}

TEST(ErrorBound, WeakBoundsAreReported) {
  const char *kLong = "%A = random(seed = 1) : memref<2x30000xf32>\n%B = random(seed = 2) : memref<30000x2xf32>";
  Expression e(kLong, "matmul(%A, %B)");
  ASSERT_EQ(e.weak.size(), 1u);
  EXPECT_EQ(e.weak[0].terms, 30000);
  EXPECT_EQ(e.weak[0].elements, 4);
  EXPECT_TRUE(Expression(buffers(4, 4096, 4, 1), "matmul(%A, %B)").weak.empty());
}

TEST(ErrorBound, InfinitiesAndNansDoNotSpoilOthers) {
  const char *kMask = "%A = random(seed = 1) : memref<4x8xf32>\n%M = from (i, j) => where(j > i, -inf, 0.0) : memref<4x8xf32>";
  Expression e(kMask, "softmax(%A * 2.0 + %M)");
  ASSERT_TRUE(e.ok());
  for (int64_t i = 0; i < 32; ++i) {
    EXPECT_TRUE(std::isfinite(e.at(i)));
    EXPECT_TRUE(std::isfinite(e.error(i))) << i;
    EXPECT_LT(e.error(i), 1e-5);
    EXPECT_EQ(e.at(i) == 0, i % 8 > i / 8);
  }
}

// Scores that have an error are masked: -inf stays -inf, its weight is exactly 0, and products with that weight add nothing.
TEST(ErrorBound, MaskedAttentionIsBoundedEverywhere) {
  const char *kAttention = "%Q = random(seed = 1) : memref<12x16xf16>\n%K = random(seed = 2) : memref<12x16xf16>\n"
                           "%V = random(seed = 3) : memref<12x16xf16>\n"
                           "%M = from (i, j) => where(j <= i, 0.0, -inf) : memref<12x12xf32>";
  Expression weights(kAttention, "softmax(matmul(%Q, transpose(%K)) * 0.125 + %M)");
  ASSERT_TRUE(weights.ok()) << weights.messages();
  for (int64_t i = 0; i < 144; ++i) {
    bool masked = i % 12 > i / 12;
    EXPECT_EQ(weights.at(i) == 0, masked);
    if (masked)
      EXPECT_EQ(weights.error(i), 0) << i;
    else
      EXPECT_LT(weights.error(i), 1e-5) << i;
  }
  Expression all(kAttention, "matmul(softmax(matmul(%Q, transpose(%K)) * 0.125 + %M), %V)");
  Expression chosen(kAttention, "matmul(softmax(where(%M == 0.0, matmul(%Q, transpose(%K)) * 0.125, -inf)), %V)");
  ASSERT_TRUE(all.ok() && chosen.ok());
  for (int64_t i = 0; i < 12 * 16; ++i) {
    EXPECT_LT(all.error(i), 1e-5) << i;
    EXPECT_LT(chosen.error(i), 1e-5) << i;
  }
}

// An infinity or NaN that a kernel computes whatever its errors are is exact. One that a kernel only may compute is not.
TEST(ErrorBound, InfinitiesThatAreCertain) {
  const char *kX = "%X = from (i) => i + 1.1 : memref<4xf32>";
  const std::string x = "sqrt(%X)"; // 1.05 or more, with an error
  for (std::string certain :
       {"X + inf", "-inf - X", "X * inf", "X * -inf", "inf / X", "X / 0.0", "exp(X - inf)", "max(X - inf, -inf)",
        "sum(X - inf)", "exp(X * 1000.0 + inf)", "prod(X * inf)", "cast(X * 70000.0, f16)", "X - inf - (X - inf)",
        "where(X > 1000.0, X, -inf)", "matmul(X * 0.0 + inf, X)", "log(0.0 * X)"}) {
    std::string text = certain;
    for (size_t at = 0; (at = text.find('X', at)) != std::string::npos; at += x.size()) text.replace(at, 1, x);
    Expression e(kX, text);
    ASSERT_TRUE(e.ok()) << certain << e.messages();
    EXPECT_EQ(e.error(0), 0) << certain << " is " << e.at(0);
    EXPECT_TRUE(!std::isfinite(e.at(0)) || e.at(0) == 0) << certain << " is " << e.at(0);
  }
  for (std::string open : {"inf * (X - X)", "1.0 / (X - X)", "(X - X) / (X - X)", "log(X - X)", "where(X - X > 0.0, inf, 1.0)",
                           "cast((X + 1000000.0 - 1000000.0) * 62400.0, f16)"}) {
    std::string text = open;
    for (size_t at = 0; (at = text.find('X', at)) != std::string::npos; at += x.size()) text.replace(at, 1, x);
    Expression e(kX, text);
    ASSERT_TRUE(e.ok()) << open << e.messages();
    EXPECT_TRUE(std::isinf(e.error(0))) << open << " is " << e.at(0) << " +- " << e.error(0);
  }
}

// Terms that are exactly 0 cause no rounding.
TEST(ErrorBound, ZerosAddNothing) {
  const char *kSparse =
      "%A = from (i, j) => where(j mod 100 == i, 0.1, 0.0) : memref<4x4000xf32>\n"
      "%B = random(seed = 1) : memref<4000x4xf32>\n%C = from (i, j) => where(j < 40, 0.1, 0.0) : memref<4x40xf32>\n"
      "%D = random(seed = 1) : memref<40x4xf32>\n";
  Expression sparse(kSparse, "sum(%A, 1)"), dense(kSparse, "sum(%C, 1)"), product(kSparse, "matmul(%A, %B)"),
      none(kSparse, "matmul(%A * 0.0, %B)");
  ASSERT_TRUE(sparse.ok() && dense.ok() && product.ok() && none.ok());
  EXPECT_GT(sparse.error(0), 0);
  EXPECT_NEAR(sparse.error(0), dense.error(0), 1e-12);
  EXPECT_LT(product.error(0), 6 * std::sqrt(40.0) * 0x1p-24 * 40 * 0.1 * 1.01);
  for (int64_t i = 0; i < 16; ++i) EXPECT_EQ(none.error(i), 0);
}

} // namespace
} // namespace xt
