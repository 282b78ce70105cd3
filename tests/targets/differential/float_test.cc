// Random kernels on true floating-point data: on the interpreter and the CPU, as written, distributed to subgroups, and cut
// into the blocks of a GPU, each within the bound that the runner derives from the expression beside the kernel.
#include "tests/golden.h"
#include "tests/targets/differential/float_generator.h"
#include "tests/targets/differential/rounds.h"

#include "ir/base/text.h"
#include "ir/target_info.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/passes.h"
#include "passes/pipelines.h"
#include "targets/run/test_runner.h"

#include <algorithm>

namespace xt {
namespace {

// A file on one of the ways to run it; the module is its own.
struct Way {
  const char *name, *target;
  bool distributed;
  const TargetInfo *gpu;
  bool lanes;
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;
  std::unique_ptr<Executable> executable;

  Way(const char *called, const char *on, bool distribute = false, const TargetInfo *blocksOf = nullptr, bool inLanes = false)
      : name(called), target(on), distributed(distribute), gpu(blocksOf), lanes(inLanes) {}
  std::string messages() const { return renderText(diagnostics, sources, false); }
  bool make(const std::string &text) {
    auto lowered = lowerFile(sources, sources.add("kernel.xt", text), context, {}, diagnostics);
    if (!lowered) return false;
    module = std::move(*lowered);
    std::vector<std::string_view> names = findTarget(target)->pipeline();
    std::vector<std::string_view> first;
    if (lanes) first = passNames(kLanePipeline);
    else if (gpu) first = passNames(kBlockPipeline);
    else if (distributed) first = {"infer-layouts", "distribute-to-subgroups"};
    names.insert(names.begin(), first.begin(), first.end());
    auto passes = passesNamed(names);
    if (!passes) return false;
    PassOptions options;
    options.verifyEach = true;
    options.target = gpu;
    if (!runPasses(*module, *passes, options, diagnostics)) return false;
    auto made = findTarget(target)->compile(*module, {1, {}}, diagnostics);
    if (made) executable = std::move(*made);
    return made.ok();
  }
};

struct Tally {
  int64_t compared = 0, unbounded = 0;
  double worst = 0; // largest error of what passed, in parts of its bound
};

void expectWithinBounds(const std::string &text, uint64_t seed, Tally &tally) {
  const TargetInfo *gpu = &targetInfos()[seed % targetInfos().size()];
  Way ways[] = {{"interp", "interp"}, {"cpu", "cpu"}, {"interp, distributed", "interp", true}, {"cpu, distributed", "cpu", true},
                {"interp, in blocks", "interp", true, gpu}, {"cpu, in blocks", "cpu", true, gpu},
                {"interp, in lanes", "interp", true, gpu, true}, {"cpu, in lanes", "cpu", true, gpu, true}};
  std::vector<TargetUnderTest> targets;
  for (Way &way : ways) {
    // Many small blocks take the CPU's compiler long, and each lane is a run of its own for the interpreter.
    bool rare = way.gpu && way.target == std::string_view("cpu");
    if (rare && seed / targetInfos().size() % 4 != 0) continue;
    if (way.lanes && !rare && seed / targetInfos().size() % 4 != 1) continue;
    ASSERT_TRUE(way.make(text)) << way.name << " of " << gpu->name << '\n' << text << way.messages();
    targets.push_back({way.name, way.module.get(), way.executable.get(), false});
  }
  MemoryBudget budget(int64_t{1} << 30);
  RunOptions options;
  options.budget = &budget;
  options.threads = 1;
  TestReport report = runTest(*ways[0].module, ways[0].module->tests.at(0), targets, options, ways[0].diagnostics);
  EXPECT_EQ(report.status, TestStatus::Passed) << "blocks of " << gpu->name << '\n' << text << ways[0].messages() << renderText(report, ways[0].sources, false);
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
    expectWithinBounds(randomFloatKernel(seed), seed, tally);
    if (testing::Test::HasFailure()) return; // one is enough to look at
  }
  std::printf("%lld elements, largest error %.3f of its bound\n", static_cast<long long>(tally.compared), tally.worst);
}

TEST(Differential, FloatKernelsThatOnceDifferedAreWithinTheirBounds) {
  Tally tally;
  for (const auto &path : test::filesIn("targets/differential/found_floats", ".xt")) {
    SCOPED_TRACE(path.filename());
    for (size_t gpu = 0; gpu < targetInfos().size(); ++gpu) expectWithinBounds(test::readText(path), gpu, tally);
  }
}

TEST(Differential, TheSameSeedGivesTheSameFloatKernel) { EXPECT_EQ(randomFloatKernel(7), randomFloatKernel(7)); }

} // namespace
} // namespace xt
