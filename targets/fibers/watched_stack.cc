#include "targets/fibers/watched_stack.h"

#if XT_WATCHED_STACKS

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#include <sanitizer/tsan_interface.h>
#endif

namespace xt {
namespace {

thread_local WatchedStack threadStack;
thread_local WatchedStack *runningOne = nullptr; // null: the thread's own stack
thread_local WatchedStack *leftOne = nullptr;    // the stack that the current switch leaves

} // namespace

WatchedStack &WatchedStack::ofThread() { return threadStack; }
WatchedStack &WatchedStack::running() { return runningOne ? *runningOne : threadStack; }

#if defined(__SANITIZE_ADDRESS__)

WatchedStack::~WatchedStack() = default;

void forgetStack(const void *memory, size_t bytes) { __asan_unpoison_memory_region(memory, bytes); }

void WatchedStack::begin(const void *memory, size_t bytes) {
  memory_ = memory;
  bytes_ = bytes;
  fakeStack_ = nullptr;
  forgetStack(memory, bytes);
}

void WatchedStack::leaveFor(WatchedStack &to, bool forEver) {
  leftOne = &running();
  runningOne = &to;
  __sanitizer_start_switch_fiber(forEver ? nullptr : &leftOne->fakeStack_, to.memory_, to.bytes_);
}

// The bounds of a thread's own stack become known when it is left for the first time.
void WatchedStack::arrive() {
  const void *memory = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(running().fakeStack_, &memory, &bytes);
  if (leftOne == &threadStack) threadStack.memory_ = memory, threadStack.bytes_ = bytes;
}

void WatchedStack::jumpTo() {
  if (this == &running()) return;
  leaveFor(*this, true);
  arrive();
}

#else

WatchedStack::~WatchedStack() {
  if (begun_) __tsan_destroy_fiber(fiber_);
}

void forgetStack(const void *, size_t) {}

// ThreadSanitizer keeps calls that never return in the fiber's record of calls, which has 64 Ki entries. Creating a
// record takes longer than a small workgroup, so a new one is created only after many uses, or if the last fiber was left by a jump out
// of a signal handler: its record says for ever that a handler runs.
void WatchedStack::begin(const void *memory, size_t bytes) {
  constexpr size_t kMostUses = 500;
  memory_ = memory;
  bytes_ = bytes;
  if (begun_++ % kMostUses != 0 && !jumped_) return;
  jumped_ = false;
  if (fiber_) __tsan_destroy_fiber(fiber_);
  fiber_ = __tsan_create_fiber(0);
}

void WatchedStack::leaveFor(WatchedStack &to, bool) {
  leftOne = &running();
  if (leftOne == &threadStack) threadStack.fiber_ = __tsan_get_current_fiber();
  runningOne = &to;
  __tsan_switch_to_fiber(to.fiber_, 0);
}

void WatchedStack::arrive() {}

void WatchedStack::jumpTo() {
  if (this == &running()) return;
  running().jumped_ = true;
  leaveFor(*this, true);
}

#endif

} // namespace xt

#endif
