// XT_CHECK states an invariant of the compiler itself. User input must never violate one; a failure is a compiler bug, and the
// message says so. The message names the file and line of the check. The hook (set by the pass manager) adds the name of the
// pass, and the crash bundle (crash.h) contains what reproduces the failure.
#pragma once
#include <string_view>

namespace xt {

// Prints "compiler bug: ..." and ends the process with kExitCompilerBug.
[[noreturn]] void checkFailed(const char *file, int line, const char *condition, std::string_view message);

// Called by checkFailed before the process ends, if a hook is set for the current thread. A hook must not fail a check itself.
using CheckHook = void (*)(void *context);
void setCheckHook(CheckHook hook, void *context);

inline constexpr int kExitCompilerBug = 70;

} // namespace xt

#define XT_CHECK(condition, message)                                                                                           \
  do {                                                                                                                         \
    if (!(condition)) ::xt::checkFailed(__FILE__, __LINE__, #condition, (message));                                            \
  } while (false)

#define XT_UNREACHABLE(message) ::xt::checkFailed(__FILE__, __LINE__, "unreachable", (message))
