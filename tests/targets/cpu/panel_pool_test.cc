#include "targets/cpu/panel_pool.h"

#include "ir/base/text.h"
#include "targets/cpu/cpu_info.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>

namespace xt {
namespace {

TEST(PanelPool, TheFirstFillsForAll) {
  PanelPool pool;
  PanelPool::Taken first = pool.take("a", 100);
  ASSERT_TRUE(first.panel);
  EXPECT_TRUE(first.fill);
  std::memset(first.panel, 7, 100);
  pool.ready(first.panel);
  PanelPool::Taken again = pool.take("a", 100);
  EXPECT_EQ(again.panel, first.panel);
  EXPECT_FALSE(again.fill);
  EXPECT_TRUE(pool.take("b", 100).fill);
  pool.reset();
  EXPECT_TRUE(pool.take("a", 100).fill);
}

// Of any size, beyond what is allocated at once, none over another, and again in the memory of the launch before.
TEST(PanelPool, SizesMayDiffer) {
  PanelPool pool;
  std::set<void *> before;
  for (int launch = 0; launch < 2; ++launch) {
    pool.reset();
    std::vector<std::pair<unsigned char *, int64_t>> panels;
    for (int i = 0; i < 40; ++i) {
      int64_t bytes = i % 7 == 3 ? (int64_t{5} << 20) + i : 1000 * i + 1;
      PanelPool::Taken taken = pool.take(str(i), bytes);
      ASSERT_TRUE(taken.panel && taken.fill);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(taken.panel) % kCacheLine, 0u);
      std::memset(taken.panel, i, static_cast<size_t>(bytes));
      panels.push_back({static_cast<unsigned char *>(taken.panel), bytes});
      pool.ready(taken.panel);
      EXPECT_TRUE(launch == 0 || before.contains(taken.panel));
      before.insert(taken.panel);
    }
    for (size_t i = 0; i < panels.size(); ++i)
      for (int64_t at : {int64_t{0}, panels[i].second - 1}) EXPECT_EQ(panels[i].first[at], i);
  }
}

TEST(PanelPool, GivesNoMoreThanItMay) {
  PanelPool pool;
  EXPECT_FALSE(pool.take("huge", int64_t{1} << 40).panel);
  EXPECT_TRUE(pool.take("small", 64).panel);
  EXPECT_FALSE(pool.take("huge", int64_t{1} << 40).panel);
}

// What a launch has needed does not stand in the way of another that needs something else.
TEST(PanelPool, MakesWay) {
  PanelPool pool;
  for (int i = 0; i < 300; ++i) pool.take(str("small", i), int64_t{1} << 20);
  EXPECT_FALSE(pool.take("large", int64_t{5} << 20).panel);
  pool.reset();
  EXPECT_TRUE(pool.take("first", 64).panel);
  EXPECT_FALSE(pool.take("huge", int64_t{1} << 40).panel);
  EXPECT_TRUE(pool.take("large", int64_t{5} << 20).panel);
  EXPECT_TRUE(pool.take("small", int64_t{1} << 20).panel);
}

// One that stays unready, as the workgroup has failed, does not hold up others for ever.
TEST(PanelPool, WaitsForAnotherThread) {
  PanelPool pool;
  PanelPool::Taken left = pool.take("left", 64), filled = pool.take("filled", 64);
  EXPECT_FALSE(pool.take("left", 64).panel);
  std::thread other([&] { pool.ready(filled.panel); });
  other.join();
  EXPECT_EQ(pool.take("filled", 64).panel, filled.panel);
  EXPECT_TRUE(left.fill);
}

} // namespace
} // namespace xt
