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
    EXPECT_LT(row.first.bytes, row.second.bytes) << row.name;
    EXPECT_LT(row.second.bytes, row.third.bytes) << row.name;
  }
  EXPECT_TRUE(tuningRows().back().name.empty());
}

TEST(CpuTuning, AProcessorWithoutARowHasTheLastOne) {
  EXPECT_EQ(tuningOf("znver5").name, "znver5");
  EXPECT_TRUE(tuningOf("znver5").loadsAcrossLines);
  EXPECT_EQ(tuningOf("haswell").name, "");
  EXPECT_FALSE(tuningOf("haswell").loadsAcrossLines);
}

// What was measured with registers of 64 bytes does not hold for others.
TEST(CpuTuning, RegistersOfThirtyTwoBytes) {
  EXPECT_TRUE(cpuInfo("znver4")->tuning.loadsAcrossLines);
  EXPECT_FALSE(cpuInfo("x86-64-v3")->tuning.loadsAcrossLines);
  EXPECT_FALSE(cpuInfo("znver3")->tuning.changesBesideProducts);
}

TEST(CpuTuning, ThresholdsFollowTheCaches) {
  CpuTuning tuning;
  tuning.first = {48 * kKiB, 12}, tuning.second = {2 * kMiB, 16}, tuning.third = {105 * kMiB, 15};
  EXPECT_EQ(tuning.roundFirstCache(), 32 * kKiB);
  EXPECT_EQ(tuning.beyondSecondCache(), kMiB);
  EXPECT_EQ(ofThirdCache(24 * kMiB, tuning.third.bytes), 24 * kMiB);
  tuning.first = {32 * kKiB, 8}, tuning.second = {256 * kKiB, 8}, tuning.third = {8 * kMiB, 16};
  EXPECT_EQ(tuning.roundFirstCache(), 32 * kKiB);
  EXPECT_EQ(tuning.beyondSecondCache(), 512 * kKiB);
  EXPECT_EQ(ofThirdCache(24 * kMiB, tuning.third.bytes), 6 * kMiB);
}

// What a Zen 5 answers to leaf 0x8000001D, subleaves 0 to 4.
TEST(CpuTuning, CachesFromCpuid) {
  auto level = [](CpuidWords words) { return cacheLevel(words); };
  auto first = level({0x00000121, 0x02C0003F, 0x0000003F, 0}), code = level({0x00000122, 0x01C0003F, 0x0000003F, 0}),
       second = level({0x00000143, 0x03C0003F, 0x000003FF, 2}), third = level({0x00004163, 0x03C0003F, 0x00007FFF, 1}),
       none = level({0, 0, 0, 0});
  ASSERT_TRUE(first && second && third);
  EXPECT_FALSE(code || none);
  EXPECT_EQ(first->level, 1);
  EXPECT_EQ(first->size, (CacheSize{48 * kKiB, 12}));
  EXPECT_EQ(second->level, 2);
  EXPECT_EQ(second->size, (CacheSize{kMiB, 16}));
  EXPECT_EQ(third->level, 3);
  EXPECT_EQ(third->size, (CacheSize{32 * kMiB, 16}));
}

TEST(CpuTuning, CachesOfTheHostAreInOrder) {
  CpuTuning tuning = tuningOf("");
  useCachesOfHost(tuning);
  EXPECT_GE(tuning.first.bytes, 8 * kKiB);
  EXPECT_GT(tuning.second.bytes, tuning.first.bytes);
  EXPECT_GT(tuning.third.bytes, 0);
}

} // namespace
} // namespace xt
