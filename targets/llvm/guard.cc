#include "targets/llvm/guard.h"

#include "ir/base/crash.h"
#include "ir/base/text.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>

#include <csetjmp>
#include <memory>
#include <mutex>
#include <new>

namespace xt {
namespace {

struct Guard {
  jmp_buf place;
  std::string message;
};
thread_local Guard *currentGuard = nullptr;

void onFatalError(void *, const char *reason, bool) {
  Guard *guard = currentGuard;
  if (!guard) return; // outside of a guard LLVM ends the process, as it would without a handler
  guard->message = reason;
  longjmp(guard->place, 1);
}

} // namespace

void initialiseLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler([](void *, const char *, bool) {
      if (std::new_handler handler = std::get_new_handler()) handler(); // as a failing `new` does
    });
    // Disables loop strength reduction: it takes a sixth of the time of code generation, and the emitted addresses already have
    // the form that loops need.
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto found = options.find("disable-lsr"); found != options.end())
      static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
  });
}

Result<void> guardLlvm(llvm::function_ref<Result<void>()> work) {
  initialiseLlvm();
  XT_CHECK(!currentGuard, "guardLlvm inside guardLlvm");
  // The guard is on the heap and reached through a thread-local pointer, so that no state is in a register across the
  // longjmp.
  auto guard = std::make_unique<Guard>();
  currentGuard = guard.get();
  if (setjmp(currentGuard->place) != 0) {
    std::string message = str("LLVM failed: ", currentGuard->message);
    currentGuard = nullptr;
    return internalError(message);
  }
  Result<void> result = work();
  currentGuard = nullptr;
  return result;
}

} // namespace xt
