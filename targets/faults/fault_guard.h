// Guards against invalid memory accesses: a kernel with a wrong address must not end the process.
#pragma once
#include <cstdint>
#include <optional>

namespace xt {

struct MemoryFault {
  std::optional<uint64_t> address; // if the processor reports it
};

// While a guard exists, SIGSEGV and SIGBUS are handled here; a fault outside of guarded calls is passed to the
// previous handler. The first guard takes four system calls, more than a small launch, so code that launches often
// should keep one. Handlers that the process installs in the meantime run first, and calls stay guarded if those
// handlers pass faults on to the previous ones, as they should.
class FaultGuard {
public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard &) = delete;
  FaultGuard &operator=(const FaultGuard &) = delete;
};

// Calls body(context), and returns the fault if one ended the call. A fault leaves the frames of the call without destroying
// their objects, so `body` may only run compiled kernels. If the call is made on a fiber, it belongs to the stack of that
// fiber.
std::optional<MemoryFault> guardedCall(void (*body)(void *), void *context);

// The guarded call in progress on this thread. Code that switches stacks inside a guarded call must restore the call when it
// switches back.
void *guardedCallInProgress();
void resumeGuardedCall(void *call);

} // namespace xt
