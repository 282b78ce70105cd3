// Runs random kernels on the interpreter, the CPU and GPUs; every bit of the results must agree. XT_DIFFERENTIAL_KERNELS is the
// number of kernels (tests/run --full sets it), XT_DIFFERENTIAL_SEED the first seed. The folder found/ contains kernels whose
// results once differed.
#include "ir/elem_kinds.h"
#include "tests/golden.h"
#include "tests/targets/differential/generator.h"
#include "tests/targets/differential/rounds.h"
#include "tests/targets/differential/way.h"

#include "ir/base/text.h"

#include <algorithm>
#include <cstring>

namespace xt {
namespace {

struct Memory { // the buffers of a launch
  std::vector<unsigned char> a, index, c, sums, scattered;
  Elem elem, out;
  static constexpr int64_t kRows = 37, kColumns = 41, kOutRows = 64 * 4 * 8, kOutColumns = 160, kIndices = 97,
                           kScattered = 4 * 8 * 4096;

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
      if (isFloat(elem))
        storeFloat(elem, p, static_cast<double>(value));
      else
        storeInteger(elem, p, value);
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
    return {buffer(a, elem, {kRows, kColumns}),
            buffer(index, Elem::I32, {kIndices}),
            buffer(c, out, {kOutRows, kOutColumns}),
            buffer(sums, Elem::I32, {64, 64}),
            buffer(scattered, out, {kScattered}),
            address,
            n};
  }
};

// Runs the kernel of a text. Returns false if the hardware cannot run it or the test has failed.
bool runOn(const Way &way, const std::string &text, std::optional<Memory> &memory) {
  CompiledWay made(way, text);
  CompiledWay::Outcome outcome = made.make();
  if (outcome == CompiledWay::Outcome::Failed) ADD_FAILURE() << text << made.messages();
  if (outcome != CompiledWay::Outcome::Made) return false;
  const Kernel &kernel = *made.module().kernels.at(0);
  memory.emplace(kernel);
  auto grid = computeGrid(kernel, memory->args());
  Result<void> done = grid ? made.executable().launch(kernel, memory->args(), *grid) : grid.error();
  if (!done) ADD_FAILURE() << text << done.error().message << made.messages();
  EXPECT_EQ(made.found().errorCount(), 0u) << text << renderText(made.found(), made.sources(), false);
  return done.ok();
}

void expectSame(const std::string &text, const Memory &a, const Memory &b) {
  auto first = [](const std::vector<unsigned char> &x, const std::vector<unsigned char> &y) {
    size_t i = 0;
    while (i < x.size() && x[i] == y[i]) ++i;
    return i;
  };
  EXPECT_EQ(a.c, b.c) << text << "element " << first(a.c, b.c) / static_cast<size_t>(elemInfo(a.out).storageBytes);
  EXPECT_EQ(a.sums, b.sums) << text << "sum " << first(a.sums, b.sums) / 4;
  EXPECT_EQ(a.scattered, b.scattered) << text << "place "
                                      << first(a.scattered, b.scattered) / static_cast<size_t>(elemInfo(a.out).storageBytes);
}

// Checks that all ways agree. Returns the number of ways that the hardware rejected.
size_t expectWaysAgree(const std::string &text, uint64_t seed, bool everyGpu) {
  std::optional<Memory> interp;
  size_t refused = 0;
  for (const Way &way : waysFor(seed, true, everyGpu)) {
    SCOPED_TRACE(str("on ", way.text()));
    std::optional<Memory> other;
    bool ran = runOn(way, text, interp ? other : interp);
    if (testing::Test::HasFailure()) break;
    if (other) expectSame(text, *interp, *other);
    refused += !ran && way.device == DeviceChoice::Any;
  }
  return refused;
}

TEST(Differential, RandomKernelsAgreeToTheBit) {
  Rounds rounds = roundsOr(50);
  size_t refused = 0;
  for (uint64_t seed = rounds.seed; seed < rounds.seed + rounds.count; ++seed) {
    SCOPED_TRACE(str("seed ", seed));
    refused += expectWaysAgree(randomKernel(seed), seed, rounds.everyGpu);
    if (HasFailure()) return; // one failure is enough
  }
  std::printf("%zu of them beyond the limits of their GPU\n", refused);
  EXPECT_LE(refused, rounds.runsOnGpus() / 4);
}

TEST(Differential, WhatOnceDifferedAgrees) {
  for (const auto &path : test::filesIn("targets/differential/found", ".xt")) {
    SCOPED_TRACE(path.filename());
    for (size_t gpu = 0; gpu < targetInfos(GpuFamily::Xe).size(); ++gpu) expectWaysAgree(test::readText(path), gpu, false);
  }
}

// If there is no Xe device, random kernels run without it. This test reports that as skipped.
TEST(Differential, GoesThroughTheXeDevice) {
  if (!hasXe())
    GTEST_SKIP() << "no Xe device; the software device needs libze1 and llvm-spirv-15: random kernels run without it";
  for (uint64_t seed = 0; seed < targetInfos(GpuFamily::Xe).size(); ++seed)
    EXPECT_EQ(waysFor(seed, false, false).back().target,
              targetInfos(GpuFamily::Xe)[seed].name); // the way to OpenCL has the same target
  std::vector<Way> ways = waysFor(0, false, true);
  for (const TargetInfo &gpu : targetInfos(GpuFamily::Xe))
    EXPECT_TRUE(std::ranges::find(ways, gpu.name, &Way::target) != ways.end()) << gpu.name;
}

TEST(Differential, GoesThroughOpenCl) {
  if (!hasOpenCl())
    GTEST_SKIP()
        << "no OpenCL device; tests/run installs Intel's runtime for CPUs in build/opencl: random kernels run without it";
  size_t ways = 0;
  for (uint64_t seed = 0; seed < targetInfos(GpuFamily::Xe).size(); ++seed)
    ways += static_cast<size_t>(std::ranges::count(waysFor(seed, false, false), DeviceChoice::OpenCl, &Way::device));
  EXPECT_EQ(ways, 1u);
  EXPECT_EQ(std::ranges::count(waysFor(0, false, true), DeviceChoice::OpenCl, &Way::device), 1);
}

TEST(Differential, TheSameSeedGivesTheSameKernel) { EXPECT_EQ(randomKernel(7), randomKernel(7)); }

} // namespace
} // namespace xt
