#include "targets/cpu/threads/thread_pool.h"

#include "tests/effort.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace xt {
namespace {

// Waits until a number of workers have arrived. Gives up if one of them does not arrive in time.
class Meeting {
public:
  ::testing::AssertionResult wait(int all) {
    ++here_;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (here_.load() < all) {
      if (std::chrono::steady_clock::now() > end)
        return ::testing::AssertionFailure() << here_.load() << " of " << all << " came";
      std::this_thread::yield();
    }
    return ::testing::AssertionSuccess();
  }

private:
  std::atomic<int> here_{0};
};

TEST(ThreadPoolTest, NoMoreThanTheLargestMachinesUse) { EXPECT_EQ(ThreadPool(1 << 30).workers(), kMostThreads); }

// Where the system has no memory for the stack of another thread, those that there are do all the work.
TEST(ThreadPoolTest, ThreadsThatCannotBeStarted) {
  if (test::kSanitized) GTEST_SKIP() << "the sanitizers need more addresses than the limit leaves";
  auto child = [] {
    const rlimit enough{256 << 20, 256 << 20}; // bytes of addresses: for a few stacks of 8 MiB
    if (setrlimit(RLIMIT_AS, &enough) != 0) _exit(2);
    ThreadPool pool(500);
    for (int round = 0; round < 3; ++round) {
      std::atomic<int64_t> sum{0};
      pool.run(10000, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) sum += i;
      });
      if (sum != 49995000) _exit(3);
    }
    _exit(0);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

TEST(ThreadPoolTest, EveryItemOnce) {
  for (int workers : {1, 2, 5}) {
    ThreadPool pool(workers);
    for (auto [count, period] : {std::pair<int64_t, int64_t>{0, 0},
                                 {1, 0},
                                 {2, 0},
                                 {7, 0},
                                 {100, 0},
                                 {12345, 0},
                                 {12345, 4},
                                 {12345, 400},
                                 {100, 4},
                                 {100, 7},
                                 {102, 17},
                                 {7, 100},
                                 {100, 100}}) {
      const int64_t all = count;
      std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
      std::vector<std::atomic<int>> inside(static_cast<size_t>(workers));
      pool.run(
          count,
          [&](int64_t begin, int64_t end, int worker) {
            ASSERT_TRUE(0 <= begin && begin < end && end <= all) << begin << " to " << end << " of " << all;
            EXPECT_EQ(inside[static_cast<size_t>(worker)].fetch_add(1), 0);
            for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
            --inside[static_cast<size_t>(worker)];
          },
          period);
      for (const auto &times : seen) EXPECT_EQ(times.load(), 1);
    }
  }
}

// Workers and the caller go to sleep after spinning for long. They must be woken for work, and to end.
TEST(ThreadPoolTest, WakesWhoSleeps) {
  constexpr int kWorkers = 3;
  const auto sleep = std::chrono::milliseconds(20);
  ThreadPool pool(kWorkers);
  for (int round = 0; round < 3; ++round) {
    Meeting all;
    std::atomic<int> done{0};
    pool.run(kWorkers, [&](int64_t, int64_t, int worker) {
      EXPECT_TRUE(all.wait(kWorkers));
      if (worker != 0) std::this_thread::sleep_for(sleep); // the caller sleeps meanwhile
      ++done;
    });
    EXPECT_EQ(done.load(), kWorkers);
    std::this_thread::sleep_for(sleep);
  }
}

// The child has none of the threads that served the parent, and starts its own.
TEST(ThreadPoolTest, ChildrenOfForkHaveThreadsOfTheirOwn) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers refuse threads of a child of a process with threads";
  constexpr int kWorkers = 3;
  ThreadPool pool(kWorkers);
  auto allCome = [&] {
    Meeting all;
    std::atomic<int> came{0};
    pool.run(kWorkers, [&](int64_t, int64_t, int) { came += all.wait(kWorkers) ? 1 : 0; });
    return came == kWorkers;
  };
  EXPECT_TRUE(allCome());
  const pid_t child = fork();
  if (child == 0) _exit(allCome() && allCome() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(allCome());
}

// A worker that has finished its range takes items from the range of a slower one.
TEST(ThreadPoolTest, TakesOverFromOneThatIsLate) {
  constexpr int kWorkers = 2;
  constexpr int64_t kItems = 32;
  ThreadPool pool(kWorkers);
  for (int64_t period : {0, 2}) {
    std::atomic<int64_t> done{0};
    std::atomic<int> late{-1};
    pool.run(
        kItems,
        [&](int64_t begin, int64_t end, int worker) {
          int none = -1;
          if (late.compare_exchange_strong(none, worker)) {
            const auto most = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (done.load() < kItems - (end - begin) && std::chrono::steady_clock::now() < most) std::this_thread::yield();
            EXPECT_EQ(done.load(), kItems - (end - begin));
          }
          done += end - begin;
        },
        period);
    EXPECT_EQ(done.load(), kItems);
  }
}

// A worker's cache holds what it wrote before, so the worker gets the same ranges again if all workers begin at once.
TEST(ThreadPoolTest, AWorkerKeepsItsRanges) {
  constexpr int kWorkers = 3;
  ThreadPool pool(kWorkers);
  for (int round = 0; round < 20; ++round) {
    Meeting begun;
    pool.run(kWorkers, [&](int64_t begin, int64_t, int worker) {
      EXPECT_TRUE(begun.wait(kWorkers));
      EXPECT_EQ(begin, worker);
    });
  }
}

// All workers make the same number of calls, so that none takes chunks of another.
TEST(ThreadPoolTest, AWorkerHasItsShareOfEachPeriod) {
  constexpr int kWorkers = 3, kPeriods = 11; // a chunk is at most an eighth of the items that a worker has
  ThreadPool pool(kWorkers);
  Meeting begun;
  std::array<int, kWorkers> calls{};
  pool.run(
      7 * kPeriods,
      [&](int64_t begin, int64_t end, int worker) {
        const int64_t first[] = {0, 2, 4, 7};
        const int period = calls[static_cast<size_t>(worker)]++;
        ASSERT_TRUE(begun.wait(kWorkers * (period + 1)));
        EXPECT_EQ(ThreadPool::currentWorker(), worker);
        EXPECT_EQ(begin, 7 * period + first[worker]);
        EXPECT_EQ(end, 7 * period + first[worker + 1]);
      },
      7);
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
