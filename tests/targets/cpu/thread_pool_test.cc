#include "targets/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <array>

namespace xt {
namespace {

TEST(ThreadPoolTest, EveryItemOnce) {
  for (int workers : {1, 2, 5}) {
    ThreadPool pool(workers);
    for (auto [count, period] : {std::pair<int64_t, int64_t>{0, 0}, {1, 0}, {2, 0}, {7, 0}, {100, 0}, {12345, 0}, {12345, 4}, {100, 7}, {102, 17}, {7, 100}, {100, 100}}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
      std::vector<std::atomic<int>> inside(static_cast<size_t>(workers));
      pool.run(count, [&](int64_t begin, int64_t end, int worker) {
        EXPECT_EQ(inside[static_cast<size_t>(worker)].fetch_add(1), 0);
        for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
        --inside[static_cast<size_t>(worker)];
      }, period);
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

// All workers make as many calls, so that none takes what is another's.
TEST(ThreadPoolTest, AWorkerHasItsShareOfEachPeriod) {
  constexpr int kWorkers = 3, kPeriods = 11; // a share is no more than an eighth of what a worker has
  ThreadPool pool(kWorkers);
  std::atomic<int> begun{0};
  std::array<int, kWorkers> calls{};
  pool.run(7 * kPeriods, [&](int64_t begin, int64_t end, int worker) {
    const int64_t first[] = {0, 2, 4, 7};
    const int64_t period = calls[static_cast<size_t>(worker)]++;
    ++begun;
    while (begun.load() < kWorkers * (period + 1)) std::this_thread::yield();
    EXPECT_EQ(ThreadPool::currentWorker(), worker);
    EXPECT_EQ(begin, 7 * period + first[worker]);
    EXPECT_EQ(end, 7 * period + first[worker + 1]);
  }, 7);
  for (int each : calls) EXPECT_EQ(each, kPeriods);
}

TEST(ThreadPoolTest, RunsWithinARun) {
  ThreadPool outer(3), inner(2);
  outer.run(30, [&](int64_t, int64_t, int worker) {
    inner.run(10, [&](int64_t, int64_t, int own) { EXPECT_EQ(ThreadPool::currentWorker(), own); });
    EXPECT_EQ(ThreadPool::currentWorker(), worker);
  });
  EXPECT_EQ(ThreadPool::currentWorker(), 0);
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
