// Tests fibers. Under the sanitizers, these tests also check that every stack switch is announced: old frames of a fiber must
// not be mistaken for current ones.
#include "targets/fibers/fiber.h"

#include "targets/faults/fault_guard.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace xt {
namespace {

constexpr size_t kStack = 1 << 16;

// Two fibers and the thread, which record the order in which they run.
struct Turns {
  FiberContext thread, first, second;
  std::string order;
};

TEST(Fiber, takesTurns) {
  Turns turns;
  FiberStack one(kStack), other(kStack);
  turns.first.start(
      one, 0,
      [](void *given) {
        auto &t = *static_cast<Turns *>(given);
        t.order += "a";
        switchContext(t.first, t.second);
        t.order += "c";
        switchContext(t.first, t.thread);
        t.order += "e";
        endContext(t.first, t.second);
      },
      &turns);
  turns.second.start(
      other, 1,
      [](void *given) {
        auto &t = *static_cast<Turns *>(given);
        t.order += "b";
        switchContext(t.second, t.first);
        t.order += "f";
        endContext(t.second, t.thread);
      },
      &turns);
  switchContext(turns.thread, turns.first);
  turns.order += "d";
  switchContext(turns.thread, turns.first);
  EXPECT_EQ(turns.order, "abcdef");
}

// A switch preserves the registers that a call must preserve, and the stack has the alignment that calls need.
TEST(Fiber, keepsWhatACallKeeps) {
  struct {
    FiberContext thread, fiber;
    uintptr_t frame = 1;
    double sum = 0;
  } all;
  FiberStack stack(kStack);
  for (size_t colour : {0, 1, 7, 60, 61, 1000}) {
    all.fiber.start(
        stack, colour,
        [](void *given) {
          auto &a = *static_cast<decltype(all) *>(given);
          alignas(16) volatile double values[4] = {1, 2, 3, 4};
          a.frame = reinterpret_cast<uintptr_t>(&values) % 16;
          int kept = 0;
          for (double each : values) {
            switchContext(a.fiber, a.thread);
            a.sum += each * ++kept;
          }
          endContext(a.fiber, a.thread);
        },
        &all);
    all.sum = 0;
    for (int i = 0; i < 5; ++i) switchContext(all.thread, all.fiber);
    EXPECT_EQ(all.sum, 30);
    EXPECT_EQ(all.frame, 0u);
  }
}

struct GivenUp {
  FiberContext thread, fiber;
  int depth = 0;
  size_t total = 0;
};

__attribute__((noinline)) size_t useStack(GivenUp &all, int depth) {
  volatile unsigned char bytes[200];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<unsigned char>(depth);
  if (depth == 0) switchContext(all.fiber, all.thread);
  size_t below = depth > 0 ? useStack(all, depth - 1) : 0;
  return below + bytes[0] + bytes[sizeof bytes - 1];
}

// The frames of an abandoned fiber have different depths than those of the next one.
TEST(Fiber, startsAnewOnAStackThatWasGivenUp) {
  GivenUp all;
  FiberStack stack(kStack);
  for (int round = 0; round < 2000; ++round) {
    all.depth = round % 40;
    all.fiber.start(
        stack, static_cast<size_t>(round * 13),
        [](void *given) {
          auto &a = *static_cast<GivenUp *>(given);
          a.total = useStack(a, a.depth);
          endContext(a.fiber, a.thread);
        },
        &all);
    switchContext(all.thread, all.fiber); // the fiber suspends itself
    if (round % 2 == 0) continue;         // and is abandoned in every other round
    switchContext(all.thread, all.fiber);
    EXPECT_EQ(all.total, static_cast<size_t>(all.depth * (all.depth + 1)));
  }
}

// A memory fault on a fiber ends the guarded call of the thread by a jump that leaves the fiber.
TEST(Fiber, isLeftByAFault) {
  FaultGuard guard;
  GivenUp all;
  FiberStack stack(kStack);
  for (int round = 0; round < 3; ++round) {
    all.fiber.start(
        stack, 0,
        [](void *given) {
          auto &a = *static_cast<GivenUp *>(given);
          volatile int *wild = reinterpret_cast<int *>(uintptr_t{64});
          volatile char more[64] = {1};
          a.total = static_cast<size_t>(*wild + more[0]);
          endContext(a.fiber, a.thread);
        },
        &all);
    auto fault = guardedCall(
        [](void *given) {
          auto &a = *static_cast<GivenUp *>(given);
          switchContext(a.thread, a.fiber);
        },
        &all);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->address, 64u);
    // The thread continues on its own stack and can run fibers.
    all.depth = 2;
    all.fiber.start(
        stack, 0,
        [](void *given) {
          auto &a = *static_cast<GivenUp *>(given);
          a.total = useStack(a, a.depth);
          endContext(a.fiber, a.thread);
        },
        &all);
    switchContext(all.thread, all.fiber);
    switchContext(all.thread, all.fiber);
    EXPECT_EQ(all.total, 6u);
  }
}

TEST(Fiber, eachThreadHasItsOwn) {
  std::vector<std::thread> threads;
  std::vector<size_t> totals(4);
  for (size_t t = 0; t < totals.size(); ++t)
    threads.emplace_back([&total = totals[t], t] {
      GivenUp all;
      std::unique_ptr<FiberStack> stack = takeStack(kStack);
      for (int round = 0; round < 50; ++round) {
        all.depth = static_cast<int>(t) + 3;
        all.fiber.start(
            *stack, t,
            [](void *given) {
              auto &a = *static_cast<GivenUp *>(given);
              a.total = useStack(a, a.depth);
              endContext(a.fiber, a.thread);
            },
            &all);
        switchContext(all.thread, all.fiber);
        switchContext(all.thread, all.fiber);
        total += all.total;
      }
      giveBack(std::move(stack));
    });
  for (std::thread &each : threads) each.join();
  for (size_t t = 0; t < totals.size(); ++t) EXPECT_EQ(totals[t], 50 * (t + 3) * (t + 4));
}

TEST(FiberStack, endsInAPageThatFaults) {
  FiberStack stack(kStack + 1);
  ASSERT_TRUE(stack.valid());
  EXPECT_GT(stack.bytes(), kStack);
  FaultGuard guard;
  std::byte *lowest = stack.top() - stack.bytes();
  EXPECT_TRUE(stack.contains(lowest));
  EXPECT_FALSE(guardedCall([](void *at) { *static_cast<volatile char *>(at) = 1; }, lowest));
  auto fault = guardedCall([](void *at) { *static_cast<volatile char *>(at) = 1; }, lowest - 1);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->address, reinterpret_cast<uintptr_t>(lowest - 1));
}

TEST(FiberStack, isKeptAndTakenAgain) {
  std::unique_ptr<FiberStack> stack = takeStack(kStack * 3);
  const FiberStack *first = stack.get();
  giveBack(std::move(stack));
  stack = takeStack(kStack * 2);
  EXPECT_EQ(stack.get(), first);
  giveBack(std::move(stack));
  EXPECT_EQ(takeStack(size_t{1} << 60), nullptr); // larger than the address space
}

// If a process may create no more mappings, a stack could not get a guard page. A stack must have one, or must not be returned.
TEST(FiberStack, hasItsGuardPageOrIsNotThere) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers need mappings of their own";
#endif
  pid_t child = fork();
  if (child == 0) {
    constexpr size_t kPage = 4096;
    // Creates pages with alternating access rights until the system allows no more mappings, then unmaps one.
    void *last = nullptr;
    for (int i = 0; i < 2'000'000; ++i) {
      void *page = mmap(nullptr, kPage, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (page == MAP_FAILED) break;
      last = page;
    }
    int files[2];
    if (pipe(files) != 0 || write(files[1], "x", 1) != 1) _exit(3);
    munmap(last, kPage);
    FiberStack stack(kStack);
    if (!stack.valid()) _exit(0);
    // The system refuses to access a page without access rights.
    _exit(read(files[0], stack.top() - stack.bytes() - 1, 1) < 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace xt
