// Tests the thread that communicates.
#include "targets/ranks/communication_thread.h"

#include "tests/targets/ranks/threads/thread_ranks.h"

#include <gtest/gtest.h>

#include <atomic>

namespace xt {
namespace {

TEST(CommunicationThread, carriesOutTasksInOrder) {
  std::vector<int> order; // only the thread writes it
  CommunicationThread thread([] { return Result(singleRank()); });
  ASSERT_TRUE(thread.opened());
  EXPECT_EQ(thread.count(), 1);
  size_t first = thread.start([&](Communicator &) -> Result<void> {
    order.push_back(1);
    return {};
  });
  size_t second = thread.start([&](Communicator &) -> Result<void> {
    order.push_back(2);
    return Error::kernel("no");
  });
  EXPECT_EQ(thread.wait(second).error().message, "no");
  EXPECT_TRUE(thread.wait(first));
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(CommunicationThread, saysThatItCannotOpen) {
  CommunicationThread thread([]() -> Result<std::unique_ptr<Transport>> { return Error::environment("no network"); });
  ASSERT_FALSE(thread.opened());
  EXPECT_EQ(thread.opened().error().message, "no network");
}

// While one rank computes, the others wait in their threads only.
TEST(CommunicationThread, communicatesWhileOthersCompute) {
  ThreadRanks ranks(2);
  std::atomic<int> computed = 0;
  auto body = [&](int rank) {
    CommunicationThread thread([&, rank] { return Result(ranks.open(rank)); });
    size_t begun = thread.start([](Communicator &communicator) { return communicator.begin("test", Mesh(2)); });
    ++computed;
    while (computed != 2) std::this_thread::yield();
    EXPECT_TRUE(thread.wait(begun));
    EXPECT_TRUE(thread.run([](Communicator &communicator) { return communicator.finish(); }));
  };
  std::thread other(body, 1);
  body(0);
  other.join();
}

} // namespace
} // namespace xt
