// Tests that the runner compares the results of several targets, and of two runs, except where the order of workgroups matters.
#include "tests/targets/run/fake_kernels.h"

#include <cmath>

namespace xt {
namespace {

TEST(TargetComparison, TargetsAreCompared) {
  Runner runner(kGemmTest, {{"gemm", [](const auto &args) { return product(args), Result<void>(); }}});
  FakeExecutable other;
  other.kernels["gemm"] = [](const std::vector<LaunchArg> &args) {
    product(args);
    f32At(args[2], 4, 5) = std::nextafter(f32At(args[2], 4, 5), 100.0f);
    return Result<void>();
  };
  TestReport report =
      runner.runOn({{"one", runner.module.get(), &runner.executable, false}, {"two", runner.module.get(), &other, false}});
  EXPECT_EQ(report.status, TestStatus::Passed);
  ASSERT_EQ(report.comparisons.size(), 1u);
  EXPECT_NE(report.comparisons[0].find("1 of 768 elements differ, the first at [4, 5], by at most"), std::string::npos)
      << report.comparisons[0];
  EXPECT_NE(report.comparisons[0].find("(1 ulp)"), std::string::npos) << report.comparisons[0];
}

// Which NaN an operation gives is not part of the language.
TEST(TargetComparison, BitsOfNansDoNotCount) {
  const char *kTest =
      "test \"t\" {\n%A = random(seed = 1) : memref<24x40xf32>\n%B = random(seed = 2) : memref<40x32xf32>\n"
      "%C = out : memref<24x32xf32>\nlaunch @gemm(%A, %B, %C)\ncheck %C[10:24, :] == matmul(%A[10:24, :], %B)\n}\n";
  auto body = [](float nan, float other) {
    return [=](const std::vector<LaunchArg> &args) {
      product(args);
      f32At(args[2], 4, 5) = nan, f32At(args[2], 6, 7) = other;
      return Result<void>();
    };
  };
  Runner runner(kTest, {{"gemm", body(NAN, 1)}});
  FakeExecutable other;
  auto compared = [&](float second) {
    other.kernels["gemm"] = body(-NAN, second);
    return runner.runOn({{"one", runner.module.get(), &runner.executable, false}, {"two", runner.module.get(), &other, false}})
        .comparisons.at(0);
  };
  EXPECT_EQ(compared(1), "`%C` on one and two: equal in every bit, except in 1 NaN");
  EXPECT_NE(compared(2).find("1 of 768 elements differ, the first at [6, 7], by at most 1 "), std::string::npos) << compared(2);
}

TEST(TargetComparison, IntegersOfTargetsMustAgree) {
  const char *kTest = "test \"t\" {\n%X = iota : memref<8x8xi32>\n%Y = out : memref<8x8xi32>\nlaunch @add(%X, %Y, 2)\n"
                      "check %Y[0, 0] == 2\n}\n";
  Runner runner(kTest, {{"add", addBody()}});
  FakeExecutable other;
  other.kernels["add"] = [](const std::vector<LaunchArg> &args) {
    auto done = addBody()(args);
    i32At(args[1], 4, 5) += 1;
    return done;
  };
  TestReport report =
      runner.runOn({{"one", runner.module.get(), &runner.executable, false}, {"two", runner.module.get(), &other, false}});
  EXPECT_EQ(report.status, TestStatus::Failed) << runner.text(report);
  EXPECT_EQ(report.comparisons,
            std::vector<std::string>{"`%Y` on one and two: 1 of 64 elements differ, the first at [4, 5]; integers must agree"});
}

const char *const kTicketKernel = R"(
kernel @ticket(%N: memref<1x1xi32>, %Old: memref<8x8xi32>, %Sum: memref<8x8xi32>) grid (%w = 0 to 8) {
  %one = constant 1 : vector<1x1xi32>
  %t = init_tile %N[0, 0] -> tile<1x1xi32>
  %old = atomic_rmw <addi> %one, %t
  %u = init_tile %Old[%w, 0] -> tile<1x8xi32>
  %wide = broadcast %old [1] : vector<1x1xi32> -> vector<1x8xi32>
  store_tile %wide, %u
  %s = init_tile %Sum[%w, 0] -> tile<1x8xi32>
  %two = constant 2 : vector<1x8xi32>
  store_tile %two, %s
}
test "t" {
  %N = ints(0, 9, seed = 1) : memref<1x1xi32>
  %Old = out : memref<8x8xi32>
  %Sum = out : memref<8x8xi32>
  launch @ticket(%N, %Old, %Sum)
  check sum(%Old) == 8 * (28 + 8 * sum(before(%N))) exactly
  check %N == before(%N) + 8 exactly
  check %Sum == 2 exactly
}
)";
// Returns a kernel in which workgroup w gets the ticket number w + `turn`.
FakeExecutable::Body ticketBody(int turn, int sum = 2) {
  return [=](const std::vector<LaunchArg> &args) {
    int first = i32At(args[0], 0, 0);
    i32At(args[0], 0, 0) += 8;
    for (int w = 0; w < 8; ++w)
      for (int j = 0; j < 8; ++j) {
        i32At(args[1], w, j) = first + (w + turn) % 8;
        i32At(args[2], w, j) = sum;
      }
    return Result<void>();
  };
}

TEST(TargetComparison, OldValuesOfAtomicsMayDiffer) {
  Runner runner(kTicketKernel, {{"ticket", ticketBody(0)}});
  FakeExecutable other;
  int launches = 0;
  other.kernels["ticket"] = [&](const std::vector<LaunchArg> &args) {
    return ticketBody(++launches)(args);
  }; // the tickets differ in each round
  TestReport report =
      runner.runOn({{"one", runner.module.get(), &runner.executable, false}, {"two", runner.module.get(), &other, false}});
  EXPECT_EQ(report.status, TestStatus::Passed) << runner.text(report);
  ASSERT_EQ(report.comparisons.size(), 3u);
  EXPECT_EQ(report.comparisons[0], "`%N` on one and two: equal in every bit");
  EXPECT_EQ(report.comparisons[1], "`%Old` on one and two: 64 of 64 elements differ, the first at [0, 0]; that is allowed: "
                                   "the content depends on the order in which workgroups run (old values of atomics)");
  EXPECT_NE(runner.text(report).find("that is allowed: the content depends on the order"), std::string::npos);
}

// When one buffer holds results of an atomic's old value, the other buffers are still compared.
TEST(TargetComparison, OthersAreComparedBesideAtomics) {
  Runner runner(kTicketKernel, {{"ticket", ticketBody(0)}});
  FakeExecutable other;
  int launches = 0;
  other.kernels["ticket"] = [&](const std::vector<LaunchArg> &args) { return ticketBody(0, ++launches)(args); };
  TestReport report = runner.runOn({{"two", runner.module.get(), &other, false}});
  EXPECT_EQ(report.status, TestStatus::Failed) << runner.text(report);
  EXPECT_NE(runner.text(report).find("two runs differ in `%Sum`"), std::string::npos) << runner.text(report);
}

} // namespace
} // namespace xt
