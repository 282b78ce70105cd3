#include "targets/cpu/machine_rates.h"

#include <gtest/gtest.h>

#include <vector>

namespace xt {
namespace {

TEST(MachineRates, SayWhatWasMultiplied) {
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "a processor with FMA";
  MachineRates f32 = measurePeak(Elem::F32, 1), f64 = measurePeak(Elem::F64, 1), f16 = measurePeak(Elem::F16, 1);
  EXPECT_EQ(f32.elem, Elem::F32);
  EXPECT_EQ(f64.elem, Elem::F64);
  EXPECT_EQ(f16.elem, Elem::F32); // they are converted
  EXPECT_EQ(measurePeak(Elem::U8, 1).elem, Elem::I8);
  // How much depends on the machine and on what else it does.
  EXPECT_GT(f32.operations, 0);
  EXPECT_GT(f64.operations, 0);
  EXPECT_GT(measureBandwidth(1), 0);
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
