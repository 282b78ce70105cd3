#include "ir/base/check.h"

#include "ir/base/check_end.h"
#include "ir/base/crash.h"
#include "ir/base/temporary_files.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace xt {
namespace {
thread_local CheckHook tHook = nullptr;
thread_local void *tContext = nullptr;
thread_local CheckEnd tEnd = nullptr;

// "MESSAGE, at FILE:LINE: CONDITION" in a buffer on the stack.
struct FailureText {
  FailureText(const char *file, int line, const char *condition, std::string_view message) {
    std::snprintf(text, sizeof text, "%.*s, at %s:%d: %s", static_cast<int>(std::min<size_t>(message.size(), 800)),
                  message.data(), file, line, condition);
  }
  char text[1024];
};
} // namespace

void setCheckHook(CheckHook hook, void *context) {
  tHook = hook;
  tContext = context;
}

void setCheckEnd(CheckEnd end) { tEnd = end; }

void checkFailed(const char *file, int line, const char *condition, std::string_view message) {
  const FailureText what(file, line, condition, message);
  if (tEnd) {
    tHook = nullptr; // what it points to is lost
    tEnd(what.text);
  }
  std::fprintf(stderr, "xt: compiler bug: %.*s\n  at %s:%d: %s\n", static_cast<int>(message.size()), message.data(), file, line,
               condition);
  if (tHook) {
    CheckHook hook = tHook;
    tHook = nullptr; // a hook that fails a check itself must not recurse
    hook(tContext);
  }
  std::fprintf(stderr, "This is an error in the compiler, not in your file.\n");
  std::fflush(stderr);
  if (!writeCrashBundle(what.text)) std::fprintf(stderr, "Please report it with the input.\n");
  std::fflush(stderr);
  removeTemporaries();
  std::_Exit(kExitCompilerBug);
}

} // namespace xt
