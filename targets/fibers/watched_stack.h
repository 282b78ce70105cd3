// Reports stack switches to AddressSanitizer and ThreadSanitizer. In builds without them all of this is empty.
#pragma once
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define XT_WATCHED_STACKS 1
#else
#define XT_WATCHED_STACKS 0
#endif

namespace xt {

#if XT_WATCHED_STACKS

// A stack of a fiber, or a thread's own.
class WatchedStack {
public:
  WatchedStack() = default;
  ~WatchedStack();
  WatchedStack(const WatchedStack &) = delete;
  WatchedStack &operator=(const WatchedStack &) = delete;

  // Reports that a fiber begins on this memory; frames that an earlier fiber left there are no longer valid.
  void begin(const void *memory, size_t bytes);
  // Call on the running stack immediately before the switch to `to`. `forEver`: the running stack is never resumed.
  static void leaveFor(WatchedStack &to, bool forEver);
  // Call on the new stack immediately after the switch.
  static void arrive();
  static WatchedStack &running();
  // The stack of the calling thread itself.
  static WatchedStack &ofThread();
  // Reports that the thread continues on this stack by a jump instead of a switch; the running stack is never resumed.
  void jumpTo();

private:
  const void *memory_ = nullptr;
  size_t bytes_ = 0;
  [[maybe_unused]] void *fakeStack_ = nullptr; // for AddressSanitizer
  [[maybe_unused]] void *fiber_ = nullptr;     // for ThreadSanitizer
  [[maybe_unused]] size_t begun_ = 0;          // number of calls of begin(), for ThreadSanitizer
  [[maybe_unused]] bool jumped_ = false;       // left by a jump, for ThreadSanitizer
};

// Reports that the memory of a stack is about to be unmapped.
void forgetStack(const void *memory, size_t bytes);

inline void *runningStack() { return &WatchedStack::running(); }
inline void returnToStack(void *stack) { static_cast<WatchedStack *>(stack)->jumpTo(); }

#else

class WatchedStack {
public:
  void begin(const void *, size_t) {}
  static void leaveFor(WatchedStack &, bool) {}
  static void arrive() {}
  static WatchedStack &ofThread() {
    static WatchedStack none;
    return none;
  }
};

inline void forgetStack(const void *, size_t) {}

// The stack that the calling thread runs on, for returnToStack().
inline void *runningStack() { return nullptr; }
// Call this immediately before a jump (siglongjmp) leaves the running stack: execution continues on `stack`.
inline void returnToStack(void *) {}

#endif

} // namespace xt
