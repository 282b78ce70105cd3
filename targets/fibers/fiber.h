// Stacks that take turns on one thread, switched without a system call.
#pragma once
#include "targets/fibers/watched_stack.h"

#include <cstddef>
#include <memory>

namespace xt {

// One stack with a page below it that faults. The machine gives pages only as far as they are used.
class FiberStack {
public:
  explicit FiberStack(size_t bytes); // rounded up to pages
  ~FiberStack();
  FiberStack(const FiberStack &) = delete;
  FiberStack &operator=(const FiberStack &) = delete;
  bool valid() const { return base_ != nullptr; } // false: the machine has no memory for it
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
// Leaves `from`, which is what runs now, and continues in `to`; returns when something switches back to `from`.
void switchContext(FiberContext &from, FiberContext &to);
// The same where nothing switches back to `from` before it is started again.
[[noreturn]] void endContext(FiberContext &from, FiberContext &to);

// A point where execution can continue: of a fiber, or (where start() was never called) of the thread that switches away
// from it. It stays where it is as long as a switch may return to it.
class FiberContext {
public:
  using Entry = void (*)(void *argument);

  FiberContext() = default;
  FiberContext(const FiberContext &) = delete;
  FiberContext &operator=(const FiberContext &) = delete;

  // The next switch to it calls entry(argument) on the stack; entry must not return. `colour` shifts the first frame by so
  // many cache lines, so that the hot ends of many stacks do not share cache sets.
  void start(FiberStack &stack, size_t colour, Entry entry, void *argument);

private:
  friend void switchContext(FiberContext &from, FiberContext &to);
  friend void endContext(FiberContext &from, FiberContext &to);
  friend void beginFiber(FiberContext &context);
  static void switchTo(FiberContext &from, FiberContext &to, bool forEver);

  void *stackPointer_ = nullptr; // the registers lie there
  Entry entry_ = nullptr;
  void *argument_ = nullptr;
  FiberStack *stack_ = nullptr; // null: a thread's own
};

// Stacks that are kept from one launch to the next, for all threads. Null: no memory.
std::unique_ptr<FiberStack> takeStack(size_t bytes);
void giveBack(std::unique_ptr<FiberStack> stack);

} // namespace xt
