#include "ir/elem_kinds.h"
#include "targets/cpu/runtime/machine_rates.h"

#include <gtest/gtest.h>

#include <vector>

namespace xt {
namespace {

TEST(MachineRates, SayWhatWasMultiplied) {
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "a processor with FMA";
  CpuInfo cpu = *cpuInfo("host");
  auto ofElem = [&](Elem elem) { return measurePeak(cpu, elem, 1); };
  EXPECT_EQ(ofElem(Elem::F32).elem, Elem::F32);
  EXPECT_EQ(ofElem(Elem::F64).elem, Elem::F64);
  EXPECT_EQ(ofElem(Elem::F16).elem, cpu.tilesBf16 ? Elem::F16 : Elem::F32); // they are converted, or multiplied as sums of bf16
  EXPECT_EQ(ofElem(Elem::U8).elem, Elem::I8);
  // The rates depend on the machine and its load, so only their sign is tested.
  EXPECT_GT(ofElem(Elem::F32).operations, 0);
  EXPECT_GT(ofElem(Elem::F64).operations, 0);
  EXPECT_EQ(ofElem(Elem::I8).operations > 0, cpu.dotBytes || cpu.tilesBytes);
  EXPECT_GT(measureBandwidth(1), 0);
}

// The rates are those of the instructions of the given processor.
TEST(MachineRates, OfAnOlderProcessor) {
  CpuInfo haswell = *cpuInfo("x86-64-v3"), old = *cpuInfo("x86-64");
  EXPECT_EQ(measurePeak(old, Elem::F32, 1).operations, 0);
  if (!hostCanRun(haswell)) GTEST_SKIP() << "a processor with AVX2";
  EXPECT_GT(measurePeak(haswell, Elem::BF16, 1).operations, 0);
  EXPECT_EQ(measurePeak(haswell, Elem::BF16, 1).elem, Elem::F32);
  EXPECT_EQ(measurePeak(haswell, Elem::I8, 1).operations, 0);
  CpuInfo withDots = *cpuInfo("alderlake");
  EXPECT_TRUE(!hostCanRun(withDots) || measurePeak(withDots, Elem::I8, 1).operations > 0);
}

TEST(MachineRates, EvictingChangesNothing) {
  std::vector<int> numbers(10'000, 7);
  evictFromCaches(numbers.data(), static_cast<int64_t>(numbers.size() * sizeof(int)));
  evictFromCaches(numbers.data() + 3, 4);
  evictFromCaches(numbers.data(), 0);
  EXPECT_EQ(numbers, std::vector<int>(10'000, 7));
}

} // namespace
} // namespace xt
