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

// On which target a kernel runs and what is done to it first: nothing, its subgroups each on their own, all that the
// passes for a GPU do, or these down to its lanes. `races`: the interpreter looks for those.
struct Way {
  const char *target;
  bool distributed = false;
  const TargetInfo *gpu = nullptr;
  bool lanes = false;
  bool races = false;
};

// The module of a text after the target's passes; null: messages say why.
std::unique_ptr<Module> compiled(const Way &way, const std::string &text, const TargetInfo *hardware, SourceManager &sources, Context &context,
                                 Diagnostics &diagnostics) {
  auto lowered = lowerFile(sources, sources.add("kernel.xt", text), context, {}, diagnostics);
  if (!lowered) return nullptr;
  std::vector<std::string_view> names = findTarget(way.target)->pipeline();
  std::vector<std::string_view> first;
  if (way.lanes) first = passNames(kLanePipeline);
  else if (way.gpu) first = passNames(kBlockPipeline);
  else if (way.distributed) first = {"infer-layouts", "distribute-to-subgroups"};
  names.insert(names.begin(), first.begin(), first.end());
  auto passes = passesNamed(names);
  if (!passes) return nullptr;
  PassOptions options;
  options.verifyEach = true;
  options.target = hardware;
  return runPasses(**lowered, *passes, options, diagnostics) ? std::move(*lowered) : nullptr;
}

// Runs the kernel of a text, through the target's passes.
void runOn(const Way &way, const std::string &text, std::optional<Memory> &memory) {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  Target *target = findTarget(way.target);
  auto hardware = target->hardware(DeviceChoice::Any);
  ASSERT_TRUE(hardware.ok()) << hardware.error().message;
  std::unique_ptr<Module> module = compiled(way, text, way.gpu ? way.gpu : *hardware, sources, context, diagnostics);
  ASSERT_TRUE(module) << text << renderText(diagnostics, sources, false);
  Diagnostics found;
  CompileOptions options;
  options.threads = 1;
  options.checks.race = way.races;
  options.found = &found;
  options.again = [&](const TargetInfo &other) -> Result<std::unique_ptr<Module>> {
    std::unique_ptr<Module> made = compiled(way, text, &other, sources, context, diagnostics);
    if (!made) return Error::diagnosed();
    return made;
  };
  auto executable = target->compile(*module, options, diagnostics);
  ASSERT_TRUE(executable.ok()) << text << renderText(diagnostics, sources, false) << executable.error().message;
  const Kernel &kernel = *module->kernels.at(0);
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

// Whether there is a device of Level Zero; the software device needs Debian's llvm-spirv-15 and loader.
bool hasXe() {
  static const bool has = findTarget("xe")->hardware(DeviceChoice::Any).ok();
  return has;
}

// On the GPU, or the software device, what its hardware can run.
void expectXeAgrees(const std::string &text, const Memory &interp) {
  std::optional<Memory> other;
  runOn({"xe"}, text, other);
  if (!testing::Test::HasFatalFailure()) expectSame(text, interp, *other);
}

void expectTargetsAgree(const std::string &text, uint64_t seed) {
  std::optional<Memory> interp;
  runOn({"interp", false, nullptr, false, true}, text, interp);
  if (testing::Test::HasFatalFailure()) return;
  const TargetInfo *gpu = &targetInfos()[seed % targetInfos().size()];
  for (const Way &way : {Way{"cpu"}, Way{"interp", true, nullptr, false, true}, Way{"cpu", true}, Way{"interp", true, gpu, false, true},
                         Way{"cpu", true, gpu}, Way{"interp", true, gpu, true}, Way{"cpu", true, gpu, true}}) {
    // Many small blocks take the CPU's compiler long, and each lane is a run of its own for the interpreter.
    bool rare = way.gpu && way.target == std::string_view("cpu");
    if (rare && seed / targetInfos().size() % 4 != 0) continue;
    if (way.lanes && !rare && seed / targetInfos().size() % 4 != 1) continue;
    SCOPED_TRACE(str("on ", way.target, way.distributed ? ", distributed to subgroups" : "", way.gpu ? str(", in blocks of ", way.gpu->name) : "", way.lanes ? ", in lanes" : ""));
    std::optional<Memory> other;
    runOn(way, text, other);
    if (testing::Test::HasFatalFailure()) return;
    expectSame(text, *interp, *other);
  }
  if (!hasXe()) return;
  SCOPED_TRACE("on xe");
  expectXeAgrees(text, *interp);
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

TEST(Differential, ThereIsAnXeDevice) {
  if (!hasXe()) GTEST_SKIP() << "no Xe device; the software device needs libze1 and llvm-spirv-15: random kernels run without it";
}

TEST(Differential, TheSameSeedGivesTheSameKernel) { EXPECT_EQ(randomKernel(7), randomKernel(7)); }

} // namespace
} // namespace xt
