#include "targets/run/gemm.h"

#include "targets/run/gemm_kernels.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace xt {
namespace {

MemoryBudget &budget() {
  static MemoryBudget b(int64_t{1} << 30);
  return b;
}

template <class T> void kernelsAgree() {
  GemmKernel<T> kernels[3];
  int count = runnableKernels(kernels);
  ASSERT_GE(count, 1);
  std::mt19937 random(1);
  for (int n = 0; n < count; ++n) {
    const GemmKernel<T> &kernel = kernels[n];
    ASSERT_LE(kernel.mr * kernel.nr, kMaxTile);
    for (int64_t depth : {1, 2, 17}) {
      std::vector<T> a(static_cast<size_t>(kernel.mr * depth)), b(static_cast<size_t>(kernel.nr * depth));
      for (T &x : a) x = static_cast<T>(static_cast<int>(random() % 17) - 8);
      for (T &x : b) x = static_cast<T>(static_cast<int>(random() % 17) - 8);
      alignas(64) T tile[kMaxTile];
      kernel.run(depth, a.data(), b.data(), tile);
      for (int64_t i = 0; i < kernel.mr; ++i)
        for (int64_t j = 0; j < kernel.nr; ++j) {
          T sum = 0;
          for (int64_t k = 0; k < depth; ++k)
            sum += a[static_cast<size_t>(k * kernel.mr + i)] * b[static_cast<size_t>(k * kernel.nr + j)];
          ASSERT_EQ(tile[i * kernel.nr + j], sum) << "kernel " << n << " at " << i << ", " << j;
        }
    }
  }
}

TEST(Gemm, RegisterTilesAgree) {
  kernelsAgree<double>();
  kernelsAgree<float>();
}

// Compares shapes around every block and tile size with plain loops.
TEST(Gemm, MatchesPlainLoops) {
  std::mt19937 random(2);
  for (auto [m, n, k] : {GemmShape{1, 1, 1},
                         {1, 700, 3},
                         {700, 1, 3},
                         {3, 5, 1100},
                         {193, 67, 513},
                         {37, 2310, 40},
                         {205, 33, 512},
                         {0, 4, 4},
                         {4, 4, 0}}) {
    std::vector<double> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n)), c(static_cast<size_t>(m * n), 7),
        s(c.size(), 7);
    for (double &x : a) x = static_cast<double>(static_cast<int>(random() % 2001) - 1000);
    for (double &x : b) x = static_cast<double>(static_cast<int>(random() % 2001) - 1000);
    for (int threads : {1, 3}) {
      ASSERT_TRUE(gemm({m, n, k}, a.data(), b.data(), c.data(), budget(), threads).ok());
      ASSERT_TRUE(gemmMagnitude({m, n, k}, a.data(), b.data(), s.data(), budget(), threads).ok());
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0, magnitude = 0;
          for (int64_t q = 0; q < k; ++q) {
            double term = a[static_cast<size_t>(i * k + q)] * b[static_cast<size_t>(q * n + j)];
            sum += term;
            magnitude += std::fabs(term);
          }
          auto at = static_cast<size_t>(i * n + j);
          ASSERT_EQ(c[at], sum) << m << "x" << n << "x" << k << " at " << i << ", " << j; // sums of integers are exact
          ASSERT_GE(s[at], magnitude);
          ASSERT_LE(s[at], magnitude * (1 + 0x1p-13));
        }
    }
  }
}

// The magnitude is an upper bound even where f32 rounds up, underflows or overflows.
TEST(Gemm, MagnitudeIsAnUpperBound) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (double scaleA : {1.0, 1e-70, 1e-18, 1e-30, 1e25, 1e200})
    for (double scaleB : {1.0, 1e-25, 1e-20}) {
      constexpr int64_t m = 7, n = 9, k = 700;
      std::vector<double> a(m * k), b(k * n), s(m * n);
      for (double &x : a) x = unit(random) * scaleA;
      for (double &x : b) x = unit(random) * scaleB;
      a[3] = 0;
      ASSERT_TRUE(gemmMagnitude({m, n, k}, a.data(), b.data(), s.data(), budget(), 1).ok());
      for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j) {
          long double exact = 0;
          for (size_t q = 0; q < k; ++q)
            exact += std::fabs(static_cast<long double>(a[i * k + q]) * static_cast<long double>(b[q * n + j]));
          ASSERT_GE(static_cast<long double>(s[i * n + j]), exact) << scaleA << " " << scaleB;
          ASSERT_LE(static_cast<long double>(s[i * n + j]), exact * 1.0002L + 1e-41L) << scaleA << " " << scaleB;
        }
    }
}

TEST(Gemm, NeedsNoMoreThanItsBudget) {
  MemoryBudget none(1000);
  double one = 1, out = 0;
  auto done = gemm({1, 1, 1}, &one, &one, &out, none, 1);
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message.find("a matrix product"), std::string::npos);
  EXPECT_EQ(none.used(), 0);
}

} // namespace
} // namespace xt
