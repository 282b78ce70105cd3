// What AddressSanitizer and ThreadSanitizer must be told when a thread changes stacks. In builds without them all of this
// is empty.
#pragma once
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define XT_WATCHED_STACKS 1
#else
#define XT_WATCHED_STACKS 0
#endif

namespace xt {

#if XT_WATCHED_STACKS

// One stack: that of a fiber, or a thread's own.
class WatchedStack {
public:
  WatchedStack() = default;
  ~WatchedStack();
  WatchedStack(const WatchedStack &) = delete;
  WatchedStack &operator=(const WatchedStack &) = delete;

  // A fiber begins anew on this memory: what frames of an earlier one have left there counts no more.
  void begin(const void *memory, size_t bytes);
  // Called on the running stack immediately before the switch to `to`. `forEver`: the running one is never resumed.
  static void leaveFor(WatchedStack &to, bool forEver);
  // Called on the new stack immediately after the switch.
  static void arrive();
  static WatchedStack &running();
  // The stack of the calling thread itself.
  static WatchedStack &ofThread();
  // The thread continues on this stack by a jump, and not by a switch; what runs now is never resumed.
  void jumpTo();

private:
  const void *memory_ = nullptr;
  size_t bytes_ = 0;
  void *fakeStack_ = nullptr; // of AddressSanitizer
  void *fiber_ = nullptr;     // of ThreadSanitizer
  size_t begun_ = 0;          // so often since the fiber was made
};

// The memory is about to be unmapped.
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
// Called where the running stack is left by a jump (siglongjmp), immediately before it: execution continues on `stack`.
inline void returnToStack(void *) {}

#endif

} // namespace xt
