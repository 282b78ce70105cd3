#include "targets/cpu/runtime/panel_pool.h"

#include "ir/base/text.h"
#include "targets/cpu/analysis/cpu_info.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

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
  pool.ready(first.panel, 0);
  PanelPool::Taken again = take(pool, "a", 100);
  EXPECT_EQ(again.panel, first.panel);
  EXPECT_FALSE(again.fill);
  EXPECT_TRUE(take(pool, "b", 100).fill);
  pool.reset(1);
  EXPECT_TRUE(take(pool, "a", 100).fill);
}

// Panels of any size, also larger than a slab, do not overlap, and have the same memory in the next launch.
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
      pool.ready(taken.panel, 0);
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

// Memory that one launch needed is freed for another launch that needs other sizes.
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

// A panel that is never ready, because its workgroup failed, does not block others for ever.
TEST(PanelPool, WaitsForAnotherThread) {
  PanelPool pool;
  pool.reset(2);
  PanelPool::Taken left = take(pool, "left", 64), filled = take(pool, "filled", 64), own = take(pool, "own", 64, 0, true);
  EXPECT_TRUE(left.fill && filled.fill && own.fill);
  for (int worker : {0, 1}) EXPECT_FALSE(take(pool, "left", 64, worker).panel);
  EXPECT_FALSE(take(pool, "own", 64, 0, true).panel);
  std::thread other([&] { pool.ready(filled.panel, 0); });
  void *found = take(pool, "filled", 64, 1).panel;
  EXPECT_TRUE(!found || found == filled.panel); // null: the thread that fills the panel was too late
  other.join();
  for (int worker : {0, 1}) EXPECT_EQ(take(pool, "filled", 64, worker).panel, filled.panel);
}

// All threads take panels at once, in different orders: one fills each panel, the others find its content.
TEST(PanelPool, ThreadsTakeTheSameAtOnce) {
  constexpr int kWorkers = 4, kKeys = 50, kLaunches = 40, kWords = 500;
  PanelPool pool;
  for (int launch = 0; launch < kLaunches; ++launch) {
    pool.reset(kWorkers);
    std::array<std::atomic<int>, kKeys> fills{};
    std::atomic<int> wrong{0};
    auto work = [&](int worker) {
      for (int i = 0; i < 3 * kKeys; ++i) {
        const int key = (i * (2 * worker + 1) + launch) % kKeys;
        PanelPool::Taken taken = take(pool, str(key), kWords * 4, worker);
        auto *words = static_cast<int *>(taken.panel);
        if (!words) continue; // the wait has timed out, because the machine is busy
        if (taken.fill) {
          ++fills[static_cast<size_t>(key)];
          std::fill_n(words, kWords, launch * kKeys + key);
          pool.ready(words, worker);
        }
        wrong += static_cast<int>(std::count(words, words + kWords, launch * kKeys + key)) != kWords;
      }
    };
    std::vector<std::thread> threads;
    for (int worker = 0; worker < kWorkers; ++worker) threads.emplace_back(work, worker);
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong.load(), 0);
    for (const std::atomic<int> &each : fills) ASSERT_EQ(each.load(), 1);
  }
}

// A worker's panels are in the memory that it had in the launch before, in whatever order workers come.
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
  for (int launch = 0; launch < 2; ++launch) {
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
  }
}

// Each worker gets its share of the 256 MiB, and no more.
TEST(PanelPool, EachWorkerHasItsShare) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  PanelPool pool;
  for (auto [workers, all] : {std::pair<int, int>{2, 128}, {3, 85}, {64, 4}, {100, 2}}) {
    SCOPED_TRACE(workers);
    pool.reset(workers);
    for (int worker : {0, workers - 1}) {
      for (int i = 0; i < all; ++i) EXPECT_TRUE(take(pool, str(worker, " ", i), kMiB, worker).panel);
      EXPECT_FALSE(take(pool, str(worker, " more"), kMiB, worker).panel);
    }
  }
}

} // namespace
} // namespace xt
