#include "targets/faults/fault_guard.h"
#include "targets/faults/stray_faults.h"

#include "targets/fibers/watched_stack.h"

#include <array>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace xt {
namespace {

struct Call {
  sigjmp_buf start;
  void *stack = runningStack();
  MemoryFault fault;
};

thread_local Call *running = nullptr;

constexpr std::array<int, 2> kSignals = {SIGSEGV, SIGBUS};

// Handlers belong to the process: the first guard installs them, the last one restores the previous ones.
std::mutex handlersMutex;
int guards = 0;
volatile std::sig_atomic_t installed = 0;
std::array<struct sigaction, kSignals.size()> before;

// ThreadSanitizer blocks all signals while it calls a handler, so there the jump has to restore the mask. Elsewhere
// SA_NODEFER leaves the mask unchanged, which saves a system call for each guarded call.
#if defined(__SANITIZE_THREAD__)
constexpr int kSavesMask = 1;
#else
constexpr int kSavesMask = 0;
#endif

bool isOurs(int signal);

// Restores the previous handlers, except where the process has installed handlers over these.
void restoreHandlers() {
  for (size_t i = 0; i < kSignals.size(); ++i)
    if (isOurs(kSignals[i])) sigaction(kSignals[i], &before[i], nullptr);
  installed = 0;
}

void onFault(int signal, siginfo_t *info, void *context);

// Installs the handlers, except where they are installed already.
void installHandlers() {
  struct sigaction action{};
  action.sa_sigaction = onFault;
  // SA_NODEFER: the signal is not blocked in the handler, because the jump out of it does not change the signal mask.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i)
    if (!isOurs(kSignals[i])) sigaction(kSignals[i], &action, &before[i]);
  installed = 1;
}

bool isOurs(int signal) {
  struct sigaction now{};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_sigaction == onFault;
}

// Passes on a fault outside of guarded calls. If these handlers are the current ones, they are removed and the
// instruction runs again; if another handler has called this one, the previous handler takes the fault.
void passOn(int signal, siginfo_t *info, void *context) {
  if (isOurs(signal)) return restoreHandlers();
  // Two handlers that each consider the other one the previous handler would pass a fault on forever.
  thread_local bool passing = false;
  const struct sigaction &old = before[signal == kSignals[0] ? 0 : 1];
  bool takes = (old.sa_flags & SA_SIGINFO) || (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN);
  if (takes && !std::exchange(passing, true)) {
    if (old.sa_flags & SA_SIGINFO)
      old.sa_sigaction(signal, info, context);
    else
      old.sa_handler(signal);
    passing = false;
    return;
  }
  struct sigaction end{};
  end.sa_handler = SIG_DFL;
  sigaction(signal, &end, nullptr);
}

// Whether the operating system reports the address of the access. It does not for non-canonical addresses.
bool knowsAddress(const siginfo_t *info) { return info->si_code > 0 && info->si_code != SI_KERNEL; }

// The number of traps for faults of foreign threads, and the state of the first such fault.
std::atomic<int> traps = 0;
thread_local bool setsTraps = false;
enum StrayFault : int { None, BeingTold, Told };
std::atomic<int> stray = None;
MemoryFault strayFault;

// Records the fault and stops this thread forever, because it has no guarded call to jump back to.
[[noreturn]] void stop(const siginfo_t *info) {
  int none = None;
  if (stray.compare_exchange_strong(none, BeingTold)) {
    if (knowsAddress(info)) strayFault.address = reinterpret_cast<uintptr_t>(info->si_addr);
    stray.store(Told);
  }
  while (true) pause();
}

void onFault(int signal, siginfo_t *info, void *context) {
  Call *call = running;
  if (!call && traps.load() > 0 && !setsTraps) stop(info);
  if (!call) return passOn(signal, info, context);
  if (knowsAddress(info)) call->fault.address = reinterpret_cast<uintptr_t>(info->si_addr);
  returnToStack(call->stack);
  siglongjmp(call->start, 1);
}

// A stack for the handler, because the faulting thread's stack may be exhausted. A thread that has a signal stack keeps it.
class SignalStack {
public:
  SignalStack() {
    if (sigaltstack(nullptr, &old_) != 0 || !(old_.ss_flags & SS_DISABLE)) return;
    memory_ = std::make_unique_for_overwrite<unsigned char[]>(kBytes);
    stack_t own{};
    own.ss_sp = memory_.get();
    own.ss_size = kBytes;
    sigaltstack(&own, nullptr);
  }
  ~SignalStack() {
    if (memory_) sigaltstack(&old_, nullptr);
  }
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  static constexpr size_t kBytes = size_t{1} << 16;
  stack_t old_{};
  std::unique_ptr<unsigned char[]> memory_;
};

} // namespace

FaultGuard::FaultGuard() {
  std::lock_guard lock(handlersMutex);
  if (guards++ == 0 || !installed) installHandlers();
}

FaultGuard::~FaultGuard() {
  std::lock_guard lock(handlersMutex);
  if (--guards == 0 && installed) restoreHandlers();
}

std::optional<MemoryFault> guardedCall(void (*body)(void *), void *context) {
  thread_local SignalStack stack;
  (void)stack;
  Call call;
  Call *volatile outer = running;
  if (sigsetjmp(call.start, kSavesMask) != 0) {
    running = outer;
    return call.fault;
  }
  running = &call;
  body(context);
  running = outer;
  return std::nullopt;
}

StrayFaultTrap::StrayFaultTrap() {
  std::lock_guard lock(handlersMutex);
  installHandlers(); // installs over handlers that the driver has set since the first guard, which would end the process
  setsTraps = true;
  ++traps;
}

StrayFaultTrap::~StrayFaultTrap() { --traps; }

std::optional<MemoryFault> StrayFaultTrap::fault() {
  if (stray.load() != Told) return std::nullopt;
  return strayFault;
}

void *guardedCallInProgress() { return running; }
void resumeGuardedCall(void *call) { running = static_cast<Call *>(call); }

} // namespace xt
