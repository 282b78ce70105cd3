#include "targets/cpu/analysis/cpu_info.h"
#include "targets/cpu/analysis/cpu_tuning.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace xt {
namespace {

constexpr int64_t kKiB = 1 << 10, kMiB = 1 << 20;

TEST(CpuTuning, RowsAreOfProcessorsThatLlvmKnows) {
  std::set<std::string_view> names;
  for (const CpuTuning &row : tuningRows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.name.empty() || cpuInfo(row.name).ok()) << row.name;
    EXPECT_GT(row.l1Bytes, 0) << row.name;
    EXPECT_LT(row.l1Bytes, row.l2Bytes) << row.name;
    EXPECT_LT(row.l2Bytes, row.l3Bytes) << row.name;
  }
  EXPECT_TRUE(tuningRows().back().name.empty());
}

TEST(CpuTuning, AProcessorWithoutARowHasTheLastOne) {
  EXPECT_EQ(tuningOf("znver5", 64).name, "znver5");
  EXPECT_TRUE(tuningOf("znver5", 64).lineSplitLoadsAreFree);
  EXPECT_EQ(tuningOf("haswell", 32).name, "");
  EXPECT_FALSE(tuningOf("haswell", 32).lineSplitLoadsAreFree);
}

// Facts that were measured with registers of 64 bytes do not hold for other sizes. LLVM's name of a processor with such a row
// implies AVX-512, so only this machine can have the row without AVX-512.
TEST(CpuTuning, RegistersOfThirtyTwoBytes) {
  const CpuTuning wide = tuningOf("znver5", 64), narrow = tuningOf("znver5", 32);
  EXPECT_TRUE(wide.lineSplitLoadsAreFree && wide.hidesConversions);
  EXPECT_FALSE(narrow.lineSplitLoadsAreFree || narrow.hidesConversions);
  EXPECT_TRUE(narrow.l2PrefetchIsLate && narrow.l3IsFast); // these do not depend on registers
  EXPECT_TRUE(cpuInfo("znver4")->tuning.lineSplitLoadsAreFree);
}

TEST(CpuTuning, ThresholdsFollowTheCaches) {
  CpuTuning tuning;
  tuning.l1Bytes = 48 * kKiB, tuning.l2Bytes = 2 * kMiB, tuning.l3Bytes = 105 * kMiB;
  EXPECT_EQ(tuning.l1PowerOfTwo(), 32 * kKiB);
  EXPECT_EQ(tuning.beyondL2Bytes(), kMiB);
  EXPECT_EQ(scaledToL3(24 * kMiB, tuning.l3Bytes), 24 * kMiB);
  tuning.l1Bytes = 32 * kKiB, tuning.l2Bytes = 256 * kKiB, tuning.l3Bytes = 8 * kMiB;
  EXPECT_EQ(tuning.l1PowerOfTwo(), 32 * kKiB);
  EXPECT_EQ(tuning.beyondL2Bytes(), 512 * kKiB);
  EXPECT_EQ(scaledToL3(24 * kMiB, tuning.l3Bytes), 6 * kMiB);
}

// The words are the answers of a Zen 5 to leaf 0x8000001D, subleaves 0 to 4.
TEST(CpuTuning, CachesFromCpuid) {
  auto level = [](CpuidWords words) { return cacheLevel(words); };
  auto first = level({0x00000121, 0x02C0003F, 0x0000003F, 0}), code = level({0x00000122, 0x01C0003F, 0x0000003F, 0}),
       second = level({0x00000143, 0x03C0003F, 0x000003FF, 2}), third = level({0x00004163, 0x03C0003F, 0x00007FFF, 1}),
       none = level({0, 0, 0, 0});
  ASSERT_TRUE(first && second && third);
  EXPECT_FALSE(code || none);
  EXPECT_EQ(first->level, 1);
  EXPECT_EQ(first->bytes, 48 * kKiB);
  EXPECT_EQ(second->level, 2);
  EXPECT_EQ(second->bytes, kMiB);
  EXPECT_EQ(third->level, 3);
  EXPECT_EQ(third->bytes, 32 * kMiB);
}

// The tuning has no sizes at first, so that a size that CPUID does not give stays 0.
TEST(CpuTuning, CachesOfTheHostAreInOrder) {
  CpuTuning tuning;
  useCachesOfHost(tuning);
  EXPECT_GE(tuning.l1Bytes, 8 * kKiB);
  EXPECT_GT(tuning.l2Bytes, tuning.l1Bytes);
  EXPECT_GT(tuning.l3Bytes, 0);
}

} // namespace
} // namespace xt
