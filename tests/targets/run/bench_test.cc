// Tests the statistics of times, when measuring ends, and the counted work of a launch.
#include "targets/run/bench.h"

#include "lang/lower/lower.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

TEST(Bench, MedianAndItsInterval) {
  BenchTimes odd = benchTimes({5, 1, 3});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.low, 1);
  EXPECT_EQ(odd.high, 5);
  EXPECT_EQ(odd.first, 5);
  EXPECT_EQ(benchTimes({1, 4, 2, 3}).median, 2.5);
  // The interval of 100 times is bounded by the 41st and the 61st: ranks 50 -+ 0.98 * 10.
  std::vector<double> many;
  for (int i = 100; i > 0; --i) many.push_back(i);
  EXPECT_EQ(benchTimes(many).low, 41);
  EXPECT_EQ(benchTimes(many).high, 61);
  EXPECT_EQ(benchTimes({2}).spread(), 0);
}

TEST(Bench, EndsWhenTheIntervalIsNarrow) {
  int runs = 0;
  auto steady = [&]() -> Result<double> { return ++runs == 1 ? 9.0 : 1.0; };
  Result<BenchTimes> times = measure(steady, {.seconds = 1000, .precision = 0.01});
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->median, 1);
  EXPECT_EQ(times->first, 9);
  EXPECT_LT(runs, 20);
}

TEST(Bench, EndsWhenTheTimeIsOver) {
  int runs = 0;
  auto wild = [&]() -> Result<double> { return ++runs % 2 ? 1.0 : 100.0; };
  Result<BenchTimes> times = measure(wild, {.seconds = 0, .precision = 0.01});
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->count, 1u);
}

TEST(Bench, EndsWhereALaunchFails) {
  Result<BenchTimes> times = measure([]() -> Result<double> { return Error::environment("no"); }, {});
  ASSERT_FALSE(times.ok());
  EXPECT_EQ(times.error().message, "no");
}

TEST(Bench, CountsWhatIsInside) {
  SourceManager sources;
  Context context;
  Diagnostics diagnostics;
  auto module = lowerFile(sources, sources.add("k.xt", R"(
kernel @gemm(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>)
    grid (%i = 0 to dim(%C, 0) step 32, %j = 0 to dim(%C, 1) step 64) {
  %acc = constant 0.0 : vector<32x64xf32>
  for %k = 0 to dim(%A, 1) step 16 {
    %ta = init_tile %A[%i, %k] -> tile<32x16xf32>
    %tb = init_tile %B[%k, %j] -> tile<16x64xf32>
    %a = load_tile %ta
    %b = load_tile %tb
    %acc = tile_mma %a, %b, %acc
  }
  %tc = init_tile %C[%i, %j] -> tile<32x64xf32>
  store_tile %acc, %tc
})"),
                          context, {}, diagnostics);
  ASSERT_TRUE(module.ok());
  auto matrix = [](int64_t rows, int64_t columns) {
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::Buffer;
    arg.buffer.sizes = {rows, columns};
    arg.buffer.strides = {columns, 1};
    return arg;
  };
  std::vector<LaunchArg> args = {matrix(50, 33), matrix(33, 70), matrix(50, 70)};
  std::optional<BenchWork> work = workOf(*(*module)->kernels[0], args, {{0, 32, 2}, {0, 64, 2}});
  ASSERT_TRUE(work.has_value());
  EXPECT_DOUBLE_EQ(work->operations, 2.0 * 50 * 70 * 33);
}

} // namespace
} // namespace xt
