#include "targets/cpu/threads/thread_placement.h"

#include "targets/cpu/threads/thread_pool.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace xt {
namespace {

cpu_set_t setOf(const std::vector<int> &processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int processor : processors) CPU_SET(static_cast<size_t>(processor), &set);
  return set;
}

bool same(const cpu_set_t &left, const cpu_set_t &right) { return CPU_EQUAL(&left, &right); }

TEST(ThreadPlacementTest, TheLaunchingProcessorIsLeftOut) {
  EXPECT_TRUE(same(processorsBeside(setOf({0, 1}), 0, 2), setOf({1})));
  EXPECT_TRUE(same(processorsBeside(setOf({0, 1}), 1, 2), setOf({0})));
  EXPECT_TRUE(same(processorsBeside(setOf({2, 5, 7}), 5, 2), setOf({2, 7})));
}

TEST(ThreadPlacementTest, UnlessTheRestIsTooFew) {
  EXPECT_TRUE(same(processorsBeside(setOf({0, 1}), 0, 3), setOf({0, 1})));
  EXPECT_TRUE(same(processorsBeside(setOf({3}), 3, 2), setOf({3})));
}

TEST(ThreadPlacementTest, AProcessorThatNoSetHolds) {
  EXPECT_TRUE(same(processorsBeside(setOf({0, 1}), -1, 2), setOf({0, 1})));
  EXPECT_TRUE(same(processorsBeside(setOf({0, 1}), CPU_SETSIZE, 2), setOf({0, 1})));
}

// Binds the calling thread to processors, and restores its affinity at the end.
class Bound {
public:
  explicit Bound(const cpu_set_t &set) {
    sched_getaffinity(0, sizeof before_, &before_);
    sched_setaffinity(0, sizeof set, &set);
  }
  ~Bound() { sched_setaffinity(0, sizeof before_, &before_); }

private:
  cpu_set_t before_;
};

// Returns the processors that the second of two workers may use. Both workers take part, because each waits until the other has
// begun.
cpu_set_t otherWorkersSet(ThreadPool &pool) {
  std::atomic<int> begun{0};
  cpu_set_t set = setOf({});
  pool.run(2, [&](int64_t, int64_t, int worker) {
    ++begun;
    while (begun.load() < 2) std::this_thread::yield();
    if (worker == 1) sched_getaffinity(0, sizeof set, &set);
  });
  return set;
}

// One pool is used while the processors of the launching thread change from launch to launch.
TEST(ThreadPlacementTest, WorkersRunBesideTheLaunchingThread) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "needs two processors";
  std::vector<int> two;
  for (int processor = 0; processor < CPU_SETSIZE && two.size() < 2; ++processor)
    if (CPU_ISSET(static_cast<size_t>(processor), &allowed)) two.push_back(processor);

  ThreadPool pool(2);
  for (int round = 0; round < 2; ++round) {
    cpu_set_t others = otherWorkersSet(pool);
    EXPECT_EQ(CPU_COUNT(&others), CPU_COUNT(&allowed) - 1);
    {
      Bound bound(setOf(two));
      others = otherWorkersSet(pool);
      EXPECT_TRUE(same(others, setOf({two[0]})) || same(others, setOf({two[1]})));
    }
    for (int processor : two) {
      Bound bound(setOf({processor}));
      EXPECT_TRUE(same(otherWorkersSet(pool), setOf({processor})));
    }
  }
}

} // namespace
} // namespace xt
