// Memory that is not there: a kernel that is given a wrong address must not take the process with it.
#pragma once
#include <cstdint>
#include <optional>

namespace xt {

struct MemoryFault {
  std::optional<uint64_t> address; // where the processor says it
};

// While one lives, SIGSEGV and SIGBUS come to this file; what is no fault of a guarded call goes where it went before. The
// first one takes four system calls, more than a small launch: who launches often keeps one. Handlers that the process sets
// meanwhile come first, and guarded calls stay guarded if those pass on to the ones before, as handlers should.
class FaultGuard {
public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard &) = delete;
  FaultGuard &operator=(const FaultGuard &) = delete;
};

// Calls body(context); says so if it was cut short by a fault. Between here and the fault there must be nothing to
// destroy: compiled kernels only. On a fiber the call belongs to its stack.
std::optional<MemoryFault> guardedCall(void (*body)(void *), void *context);

// The guarded call that runs on this thread. Whoever switches stacks inside one puts it back when it returns.
void *guardedCallInProgress();
void resumeGuardedCall(void *call);

} // namespace xt
