// Stacks for cooperative switching on one thread, without a system call.
#pragma once
#include "targets/fibers/watched_stack.h"

#include <cstddef>
#include <memory>

namespace xt {

// A stack with a guard page below it. The operating system allocates pages only when they are used.
class FiberStack {
public:
  explicit FiberStack(size_t bytes); // rounded up to pages
  ~FiberStack();
  FiberStack(const FiberStack &) = delete;
  FiberStack &operator=(const FiberStack &) = delete;
  bool valid() const { return base_ != nullptr; } // false: out of memory
  std::byte *top() const { return base_ + total_; }
  size_t bytes() const { return bytes_; }
  bool contains(const void *address) const { return address >= base_ && address < top(); }

private:
  friend class FiberContext;
  WatchedStack watched_;
  std::byte *base_ = nullptr;
  size_t total_ = 0, bytes_ = 0;
};

class FiberContext;
// Suspends the running context as `from` and continues `to`; returns when another switch goes back to `from`.
void switchContext(FiberContext &from, FiberContext &to);
// Like switchContext, but never returns: nothing switches back to `from` before it is started again.
[[noreturn]] void endContext(FiberContext &from, FiberContext &to);

// A point where execution can continue: in a fiber, or (if start() was never called) in the thread that switches away
// from it. It must not move while a switch may return to it.
class FiberContext {
public:
  using Entry = void (*)(void *argument);

  FiberContext() = default;
  FiberContext(const FiberContext &) = delete;
  FiberContext &operator=(const FiberContext &) = delete;

  // The next switch to this context calls entry(argument) on the stack; `entry` must not return. `colour` shifts the
  // first frame by that many cache lines, so that the hot ends of many stacks do not share cache sets.
  void start(FiberStack &stack, size_t colour, Entry entry, void *argument);

private:
  friend void switchContext(FiberContext &from, FiberContext &to);
  friend void endContext(FiberContext &from, FiberContext &to);
  friend void beginFiber(FiberContext &context);
  static void switchTo(FiberContext &from, FiberContext &to, bool forEver);

  void *stackPointer_ = nullptr; // while the context is suspended: where its registers are stored
  Entry entry_ = nullptr;
  void *argument_ = nullptr;
  FiberStack *stack_ = nullptr; // null: the thread's own stack
};

// A pool that keeps stacks between launches, shared by all threads. takeStack() returns null if there is no memory.
std::unique_ptr<FiberStack> takeStack(size_t bytes);
void giveBack(std::unique_ptr<FiberStack> stack);

} // namespace xt
