#include "targets/cpu/panel_pool.h"

#include "ir/base/text.h"
#include "targets/cpu/cpu_info.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>
#include <thread>

namespace xt {
namespace {

PanelPool::Taken take(PanelPool &pool, std::string_view key, int64_t bytes, int worker = 0, bool isOwn = false) {
  return pool.take({key, bytes, isOwn, worker});
}

TEST(PanelPool, TheFirstFillsForAll) {
  PanelPool pool;
  PanelPool::Taken first = take(pool, "a", 100);
  ASSERT_TRUE(first.panel);
  EXPECT_TRUE(first.fill);
  std::memset(first.panel, 7, 100);
  pool.ready(first.panel);
  PanelPool::Taken again = take(pool, "a", 100);
  EXPECT_EQ(again.panel, first.panel);
  EXPECT_FALSE(again.fill);
  EXPECT_TRUE(take(pool, "b", 100).fill);
  pool.reset(1);
  EXPECT_TRUE(take(pool, "a", 100).fill);
}

// Of any size, beyond what is allocated at once, none over another, and again in the memory of the launch before.
TEST(PanelPool, SizesMayDiffer) {
  PanelPool pool;
  std::set<void *> before;
  for (int launch = 0; launch < 2; ++launch) {
    pool.reset(1);
    std::vector<std::pair<unsigned char *, int64_t>> panels;
    for (int i = 0; i < 40; ++i) {
      int64_t bytes = i % 7 == 3 ? (int64_t{5} << 20) + i : 1000 * i + 1;
      PanelPool::Taken taken = take(pool, str(i), bytes);
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
  EXPECT_FALSE(take(pool, "huge", int64_t{1} << 40).panel);
  EXPECT_TRUE(take(pool, "small", 64).panel);
  EXPECT_FALSE(take(pool, "huge", int64_t{1} << 40).panel);
}

// What a launch has needed does not stand in the way of another that needs something else.
TEST(PanelPool, MakesWay) {
  PanelPool pool;
  for (int i = 0; i < 300; ++i) take(pool, str("small", i), int64_t{1} << 20);
  EXPECT_FALSE(take(pool, "large", int64_t{5} << 20).panel);
  pool.reset(1);
  EXPECT_TRUE(take(pool, "first", 64).panel);
  EXPECT_FALSE(take(pool, "huge", int64_t{1} << 40).panel);
  EXPECT_TRUE(take(pool, "large", int64_t{5} << 20).panel);
  EXPECT_TRUE(take(pool, "small", int64_t{1} << 20).panel);
}

// One that stays unready, as the workgroup has failed, does not hold up others for ever.
TEST(PanelPool, WaitsForAnotherThread) {
  PanelPool pool;
  PanelPool::Taken left = take(pool, "left", 64), filled = take(pool, "filled", 64);
  EXPECT_FALSE(take(pool, "left", 64).panel);
  std::thread other([&] { pool.ready(filled.panel); });
  other.join();
  EXPECT_EQ(take(pool, "filled", 64).panel, filled.panel);
  EXPECT_TRUE(left.fill);
}

// In the memory that the worker had before, whoever comes first.
TEST(PanelPool, EachWorkerFillsMemoryOfItsOwn) {
  PanelPool pool;
  void *panels[2][2] = {};
  for (int launch = 0; launch < 2; ++launch) {
    pool.reset(2);
    for (int worker : {launch, 1 - launch}) panels[launch][worker] = take(pool, str(worker), 100, worker).panel;
    pool.ready(panels[launch][1], 1);
    EXPECT_EQ(take(pool, "1", 100, 0).panel, panels[launch][1]);
  }
  for (int worker : {0, 1}) EXPECT_EQ(panels[0][worker], panels[1][worker]);
  EXPECT_NE(panels[0][0], panels[0][1]);
}

TEST(PanelPool, EachWorkerHasItsOwnPanel) {
  PanelPool pool;
  pool.reset(2);
  std::array<void *, 2> panels{};
  for (int worker : {0, 1}) {
    PanelPool::Taken taken = take(pool, "a", 100, worker, true);
    EXPECT_TRUE(taken.fill);
    pool.ready(taken.panel, worker);
    panels[static_cast<size_t>(worker)] = taken.panel;
  }
  EXPECT_TRUE(panels[0] && panels[1] && panels[0] != panels[1]);
  for (int worker : {0, 1}) {
    PanelPool::Taken again = take(pool, "a", 100, worker, true);
    EXPECT_TRUE(again.panel == panels[static_cast<size_t>(worker)] && !again.fill);
  }
  EXPECT_TRUE(take(pool, "a", 100, 1).fill);
  pool.reset(2);
  EXPECT_TRUE(take(pool, "a", 100, 1, true).fill);
}

} // namespace
} // namespace xt
