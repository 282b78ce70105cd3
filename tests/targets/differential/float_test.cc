// Runs random kernels on arbitrary floating-point data: on the interpreter and the CPU, unchanged, distributed to subgroups,
// and cut into the blocks of a GPU; and on GPUs. Each result must be within the bound that the runner derives from the
// expressions of the test.
#include "tests/golden.h"
#include "tests/targets/differential/float_generator.h"
#include "tests/targets/differential/rounds.h"
#include "tests/targets/differential/way.h"

#include "ir/base/text.h"
#include "targets/run/test_runner.h"

#include <algorithm>

namespace xt {
namespace {

struct Tally {
  int64_t compared = 0;
  size_t refused = 0; // number of ways that the hardware rejected
  size_t loose = 0; // number of kernels with a check that proves nothing, since sums that cancel leave values near 0
  double worst = 0; // largest error that passed, as a fraction of its bound
};

// Whether all elements of all checks are within their bounds, also where bounds are too large to prove anything.
bool withinBounds(const TestReport &report) {
  auto within = [](const CheckReport &check) { return check.passed || (check.different == 0 && !check.problem.empty()); };
  return std::ranges::all_of(report.runs, [&](const RunReport &run) {
    return run.findings.empty() && !run.checks.empty() && std::ranges::all_of(run.checks, within);
  });
}

void expectWithinBounds(const std::string &text, uint64_t seed, bool everyGpu, Tally &tally) {
  std::vector<std::unique_ptr<CompiledWay>> ways;
  std::vector<TargetUnderTest> targets;
  for (const Way &way : waysFor(seed, false, everyGpu)) {
    auto made = std::make_unique<CompiledWay>(way, text);
    CompiledWay::Outcome outcome = made->make();
    ASSERT_NE(outcome, CompiledWay::Outcome::Failed) << way.text() << '\n' << text << made->messages();
    if (outcome == CompiledWay::Outcome::Refused) {
      tally.refused += way.device == DeviceChoice::Any;
      continue;
    }
    targets.push_back({way.text(), &made->module(), &made->executable(), false});
    ways.push_back(std::move(made));
  }
  MemoryBudget budget(int64_t{1} << 30);
  RunOptions options;
  options.budget = &budget;
  options.threads = 1;
  CompiledWay &first = *ways.at(0);
  TestReport report = runTest(first.module().tests.at(0), targets, options, first.diagnostics());
  EXPECT_TRUE(withinBounds(report)) << text << first.messages() << renderText(report, first.sources(), false);
  tally.loose += report.status != TestStatus::Passed;
  for (const RunReport &run : report.runs)
    for (const CheckReport &check : run.checks) {
      tally.compared += check.compared;
      tally.worst = std::max(tally.worst, check.worstRatio);
    }
}

TEST(Differential, RandomFloatKernelsAreWithinTheirBounds) {
  Rounds rounds = roundsOr(12);
  Tally tally;
  for (uint64_t seed = rounds.seed; seed < rounds.seed + rounds.count; ++seed) {
    SCOPED_TRACE(str("seed ", seed));
    expectWithinBounds(randomFloatKernel(seed), seed, rounds.everyGpu, tally);
    if (testing::Test::HasFailure()) return; // one failure is enough
  }
  std::printf(
      "%lld elements, largest error %.3f of its bound, %zu kernels beyond the limits of their GPU, %zu with bounds that are "
      "too large\n",
      static_cast<long long>(tally.compared), tally.worst, tally.refused, tally.loose);
  EXPECT_LE(tally.loose, rounds.count / 5);
  EXPECT_LE(tally.refused, rounds.runsOnGpus() / 4);
}

TEST(Differential, FloatKernelsThatOnceDifferedAreWithinTheirBounds) {
  Tally tally;
  for (const auto &path : test::filesIn("targets/differential/found_floats", ".xt")) {
    SCOPED_TRACE(path.filename());
    const std::string text = test::readText(path);
    for (size_t gpu = 0; gpu < targetInfos(GpuFamily::Xe).size(); ++gpu) expectWithinBounds(text, gpu, false, tally);
    if (hasXe()) expectWithinBounds(text, 0, true, tally); // all GPUs but one run code that is not optimised
  }
}

TEST(Differential, TheSameSeedGivesTheSameFloatKernel) { EXPECT_EQ(randomFloatKernel(7), randomFloatKernel(7)); }

} // namespace
} // namespace xt
