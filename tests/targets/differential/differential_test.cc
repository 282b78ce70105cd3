// Random kernels on the interpreter and on the CPU: every bit must agree. XT_DIFFERENTIAL_KERNELS says how many (tests/run
// --full sets 2000), XT_DIFFERENTIAL_SEED where they start. What once differed stays in found/.
#include "tests/golden.h"
#include "tests/targets/differential/generator.h"
#include "tests/targets/differential/rounds.h"

#include "ir/base/text.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/passes.h"
#include "passes/pipelines.h"
#include "targets/target.h"

#include <cstring>

namespace xt {
namespace {

struct Memory { // the buffers of a launch
  std::vector<unsigned char> a, index, c, sums, scattered;
  Elem elem, out;
  static constexpr int64_t kRows = 37, kColumns = 41, kOutRows = 64 * 4 * 8, kOutColumns = 160, kIndices = 97, kScattered = 4 * 8 * 4096;

  explicit Memory(const Kernel &kernel) : elem(kernel.param(0)->type().elem()), out(kernel.param(2)->type().elem()) {
    auto bytes = [](Elem e, int64_t count) { return static_cast<size_t>(count * elemInfo(e).storageBytes); };
    a.resize(bytes(elem, kRows * kColumns));
    index.resize(bytes(Elem::I32, kIndices));
    c.resize(bytes(out, kOutRows * kOutColumns), 0x5A);
    sums.resize(bytes(Elem::I32, 64 * 64));
    scattered.resize(bytes(out, kScattered), 0x3C);
    constexpr int64_t most = 4;
    for (int64_t i = 0; i < kRows * kColumns; ++i) {
      int64_t value = (i * 7919 + 13) % (2 * most + 1) - most;
      unsigned char *p = a.data() + i * elemInfo(elem).storageBytes;
      if (isFloat(elem)) storeFloat(elem, p, static_cast<double>(value));
      else storeInteger(elem, p, value);
    }
    for (int64_t i = 0; i < kIndices; ++i) storeInteger(Elem::I32, index.data() + i * 4, i % 64);
  }

  std::vector<LaunchArg> args() {
    auto buffer = [](std::vector<unsigned char> &bytes, Elem e, std::vector<int64_t> sizes) {
      LaunchArg arg;
      arg.kind = LaunchArg::Kind::Buffer;
      std::vector<int64_t> strides(sizes.size(), 1);
      for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
      arg.buffer = {bytes.data(), e, std::move(sizes), std::move(strides)};
      return arg;
    };
    LaunchArg address, n;
    address.integer = static_cast<int64_t>(reinterpret_cast<uintptr_t>(a.data()));
    n.integer = 9;
    return {buffer(a, elem, {kRows, kColumns}), buffer(index, Elem::I32, {kIndices}), buffer(c, out, {kOutRows, kOutColumns}),
            buffer(sums, Elem::I32, {64, 64}), buffer(scattered, out, {kScattered}), address, n};
  }
};

// On which target a kernel runs and what is done to it first: nothing, its subgroups each on their own, or all that the
// passes for a GPU do. `races`: the interpreter looks for those.
struct Way {
  const char *target;
  bool distributed = false;
  const TargetInfo *gpu = nullptr;
  bool races = false;
};

// Runs the kernel of a text, through the target's passes.
void runOn(const Way &way, const std::string &text, std::optional<Memory> &memory) {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  auto lowered = lowerFile(sources, sources.add("kernel.xt", text), context, {}, diagnostics);
  ASSERT_TRUE(lowered.ok()) << text << renderText(diagnostics, sources, false);
  Target *target = findTarget(way.target);
  std::vector<std::string_view> names = target->pipeline();
  std::vector<std::string_view> first;
  if (way.gpu) first = passNames(kBlockPipeline);
  else if (way.distributed) first = {"infer-layouts", "distribute-to-subgroups"};
  names.insert(names.begin(), first.begin(), first.end());
  auto passes = passesNamed(names);
  ASSERT_TRUE(passes.ok());
  PassOptions options;
  options.verifyEach = true;
  options.target = way.gpu;
  ASSERT_TRUE(runPasses(**lowered, *passes, options, diagnostics).ok()) << text << renderText(diagnostics, sources, false);
  Diagnostics found;
  Checks checks;
  checks.race = way.races;
  auto executable = target->compile(**lowered, {1, {}, checks, &found}, diagnostics);
  ASSERT_TRUE(executable.ok()) << text << renderText(diagnostics, sources, false) << executable.error().message;
  const Kernel &kernel = *(*lowered)->kernels.at(0);
  memory.emplace(kernel);
  auto grid = computeGrid(kernel, memory->args());
  ASSERT_TRUE(grid.ok()) << text;
  Result<void> done = (*executable)->launch(kernel, memory->args(), *grid);
  ASSERT_TRUE(done.ok()) << text << done.error().message;
  EXPECT_EQ(found.errorCount(), 0u) << text << renderText(found, sources, false);
}

void expectSame(const std::string &text, const Memory &a, const Memory &b) {
  auto first = [](const std::vector<unsigned char> &x, const std::vector<unsigned char> &y) {
    size_t i = 0;
    while (i < x.size() && x[i] == y[i]) ++i;
    return i;
  };
  EXPECT_EQ(a.c, b.c) << text << "element " << first(a.c, b.c) / static_cast<size_t>(elemInfo(a.out).storageBytes);
  EXPECT_EQ(a.sums, b.sums) << text << "sum " << first(a.sums, b.sums) / 4;
  EXPECT_EQ(a.scattered, b.scattered) << text << "place " << first(a.scattered, b.scattered) / static_cast<size_t>(elemInfo(a.out).storageBytes);
}

void expectTargetsAgree(const std::string &text, uint64_t seed) {
  std::optional<Memory> interp;
  runOn({"interp", false, nullptr, true}, text, interp);
  if (testing::Test::HasFatalFailure()) return;
  const TargetInfo *gpu = &targetInfos()[seed % targetInfos().size()];
  for (const Way &way : {Way{"cpu"}, Way{"interp", true, nullptr, true}, Way{"cpu", true}, Way{"interp", true, gpu, true}, Way{"cpu", true, gpu}}) {
    // Many small blocks take the CPU's compiler long.
    bool rare = way.gpu && way.target == std::string_view("cpu");
    if (rare && seed / targetInfos().size() % 4 != 0) continue;
    SCOPED_TRACE(str("on ", way.target, way.distributed ? ", distributed to subgroups" : "", way.gpu ? str(", in blocks of ", way.gpu->name) : ""));
    std::optional<Memory> other;
    runOn(way, text, other);
    if (testing::Test::HasFatalFailure()) return;
    expectSame(text, *interp, *other);
  }
}
TEST(Differential, RandomKernelsAgreeToTheBit) {
  Rounds rounds = roundsOr(50);
  for (uint64_t seed = rounds.seed; seed < rounds.seed + rounds.count; ++seed) {
    SCOPED_TRACE(str("seed ", seed));
    expectTargetsAgree(randomKernel(seed), seed);
    if (HasFailure()) return; // one is enough to look at
  }
}

TEST(Differential, WhatOnceDifferedAgrees) {
  for (const auto &path : test::filesIn("targets/differential/found", ".xt")) {
    SCOPED_TRACE(path.filename());
    for (size_t gpu = 0; gpu < targetInfos().size(); ++gpu) expectTargetsAgree(test::readText(path), gpu);
  }
}

TEST(Differential, TheSameSeedGivesTheSameKernel) { EXPECT_EQ(randomKernel(7), randomKernel(7)); }

} // namespace
} // namespace xt
