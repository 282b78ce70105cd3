// Tests how conflicts of banks of shared memory are counted, with accesses of two warps given one by one.
#include "targets/soft/bank_conflicts.h"

#include <gtest/gtest.h>

namespace xt::soft {
namespace {

constexpr size_t kLanes = 32;

class Banks : public testing::Test {
protected:
  Banks() : launch_(describe()), watch_(launch_) { launch_.bankConflicts = &found_; }

  // Each lane of a warp accesses the bytes from `offset(lane)` on, one lane after the other.
  template <class F>
  void access(uint64_t bytes, uint64_t piece, F offset, int32_t site = 0, bool writes = false, size_t warp = 0) {
    for (size_t lane = 0; lane < kLanes; ++lane) watch_.access(warp * kLanes + lane, offset(lane), bytes, piece, writes, site);
  }
  std::string text() {
    watch_.finish();
    std::string text = found_.text(sites_);
    found_.clear();
    constexpr std::string_view kBegin = "banks of shared memory were accessed ";
    EXPECT_TRUE(text.empty() || text.starts_with(kBegin)) << text;
    return text.substr(std::min(text.size(), kBegin.size()));
  }

  std::vector<Site> sites_{{"", " at k.xt:1:1", 0}, {"", " at k.xt:2:1", 0}, {"", " at k.xt:3:1", 0}, {"", " at k.xt:4:1", 0}};
  Launch launch_;
  BankConflicts found_;
  BankWatch watch_;

private:
  static Launch describe() {
    Launch launch;
    launch.groupSize = {2 * kLanes, 1, 1};
    launch.subgroupSize = kLanes;
    return launch;
  }
};

TEST_F(Banks, NeighboursHaveNoConflicts) {
  for (uint64_t bytes : {1, 2, 4, 8, 16}) access(bytes, bytes, [&](size_t lane) { return lane * bytes; });
  EXPECT_EQ(text(), "");
}

// Lanes that want the same word get it in one step, also if they want other bytes of it.
TEST_F(Banks, OneWordForAll) {
  access(4, 4, [](size_t) { return 400; });
  access(1, 1, [](size_t lane) { return 400 + lane % 4; });
  EXPECT_EQ(text(), "");
}

TEST_F(Banks, StridesMeetInBanks) {
  struct Case {
    uint64_t stride;
    const char *text;
  };
  const Case cases[] = {{8, "1 time more than without conflicts: 1 by 1 load at k.xt:1:1"},
                        {16, "3 times more than without conflicts: 3 by 1 load at k.xt:1:1"},
                        {128, "31 times more than without conflicts: 31 by 1 load at k.xt:1:1"},
                        {132, ""},
                        {12, ""}};
  for (const Case &each : cases) {
    access(4, 4, [&](size_t lane) { return lane * each.stride; });
    EXPECT_EQ(text(), each.text) << each.stride;
  }
}

// Of 8 bytes, 16 lanes make a step; of 16 bytes, 8 lanes. What is not aligned goes word by word.
TEST_F(Banks, WideAccesses) {
  access(8, 8, [](size_t lane) { return lane * 16; });
  EXPECT_EQ(text(), "2 times more than without conflicts: 2 by 1 load at k.xt:1:1");
  access(16, 16, [](size_t lane) { return lane * 32; });
  EXPECT_EQ(text(), "4 times more than without conflicts: 4 by 1 load at k.xt:1:1");
  access(16, 4, [](size_t lane) { return lane * 16; });
  EXPECT_EQ(text(), "12 times more than without conflicts: 12 by 4 loads at k.xt:1:1");
}

// The lanes go through a loop one after the other; what they do in one iteration is one instruction.
TEST_F(Banks, IterationsAreApart) {
  for (size_t lane = 0; lane < kLanes; ++lane)
    for (uint64_t i = 0; i < 4; ++i) watch_.access(lane, lane * 128 + i * 4, 4, 4, false, 0);
  EXPECT_EQ(text(), "124 times more than without conflicts: 124 by 4 loads at k.xt:1:1");
}

// Eight lanes access, then the warp meets, and then the others do.
TEST_F(Banks, LanesOnDifferentWays) {
  for (size_t lane = 0; lane < 8; ++lane) watch_.access(lane, lane * 128, 4, 4, false, 0);
  watch_.meet(0, kLanes);
  for (size_t lane = 8; lane < kLanes; ++lane) watch_.access(lane, lane * 4, 4, 4, false, 0);
  EXPECT_EQ(text(), "7 times more than without conflicts: 7 by 2 loads at k.xt:1:1");
}

// A loop of one lane is not kept in memory until the others come, if they do.
TEST_F(Banks, LongLoopsOfOneLane) {
  for (uint64_t i = 0; i < 5000; ++i) watch_.access(0, 0, 4, 4, false, 0);
  access(4, 4, [](size_t lane) { return lane * 128; });
  access(4, 4, [](size_t lane) { return lane * 128; }, 1);
  EXPECT_EQ(text(), "31 times more than without conflicts: 31 by 1 load at k.xt:2:1");
}

TEST_F(Banks, WarpsAreApart) {
  access(4, 4, [](size_t lane) { return lane * 4; }, 0, true, 0);
  access(4, 4, [](size_t lane) { return 128 + lane * 4; }, 0, true, 1);
  EXPECT_EQ(text(), "");
}

TEST_F(Banks, TheWorstPlacesAreNamed) {
  for (int32_t site = 0; site < 4; ++site)
    for (int32_t i = 0; i <= site; ++i) access(4, 4, [](size_t lane) { return lane * 128; }, site, site % 2 == 0);
  EXPECT_EQ(text(),
            "310 times more than without conflicts: 124 by 4 loads at k.xt:4:1, 93 by 3 stores at k.xt:3:1, 62 by 2 loads at "
            "k.xt:2:1 …");
}

TEST_F(Banks, RowsOfMatrices) {
  std::vector<const std::byte *> rows;
  for (uint64_t i = 0; i < 16; ++i) rows.push_back(reinterpret_cast<const std::byte *>(i * (i < 8 ? 16 : 128)));
  watch_.matrixRows(rows, 1);
  EXPECT_EQ(text(), "7 times more than without conflicts: 7 by 1 ldmatrix at k.xt:2:1");
}

} // namespace
} // namespace xt::soft
