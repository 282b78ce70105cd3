#include "targets/cpu/thread_pool.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

TEST(ThreadPoolTest, EveryItemOnce) {
  for (int workers : {1, 2, 5}) {
    ThreadPool pool(workers);
    for (int64_t count : {0, 1, 2, 7, 100, 12345}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
      std::vector<std::atomic<int>> inside(static_cast<size_t>(workers));
      pool.run(count, [&](int64_t begin, int64_t end, int worker) {
        EXPECT_EQ(inside[static_cast<size_t>(worker)].fetch_add(1), 0);
        for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
        --inside[static_cast<size_t>(worker)];
      });
      for (const auto &times : seen) EXPECT_EQ(times.load(), 1);
    }
  }
}

TEST(ThreadPoolTest, ManyShortRuns) {
  ThreadPool pool(4);
  std::atomic<int64_t> sum{0};
  for (int i = 0; i < 2000; ++i)
    pool.run(8, [&](int64_t begin, int64_t end, int) {
      for (int64_t k = begin; k < end; ++k) sum += k;
    });
  EXPECT_EQ(sum.load(), 2000 * 28);
}

// What a worker wrote before is in its cache: the same ranges are its own again, as long as all begin at once.
TEST(ThreadPoolTest, AWorkerKeepsItsRanges) {
  constexpr int kWorkers = 3;
  ThreadPool pool(kWorkers);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> begun{0};
    pool.run(kWorkers, [&](int64_t begin, int64_t, int worker) {
      ++begun;
      while (begun.load() < kWorkers) std::this_thread::yield();
      EXPECT_EQ(begin, worker);
    });
  }
}

TEST(ThreadPoolTest, RunsFromSeveralThreadsTakeTurns) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) pool.run(10, [&](int64_t begin, int64_t end, int) { sum += end - begin; });
    });
  for (std::thread &caller : callers) caller.join();
  EXPECT_EQ(sum.load(), 4000);
}

} // namespace
} // namespace xt
