#include "ir/base/check.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace xt {
namespace {
thread_local CheckHook tHook = nullptr;
thread_local void *tContext = nullptr;
} // namespace

void setCheckHook(CheckHook hook, void *context) {
  tHook = hook;
  tContext = context;
}

void checkFailed(const char *file, int line, const char *condition, std::string_view message) {
  std::fprintf(stderr, "xt: compiler bug: %.*s\n  at %s:%d: %s\n", static_cast<int>(message.size()), message.data(),
               file, line, condition);
  if (tHook) {
    CheckHook hook = tHook;
    tHook = nullptr; // a hook that fails a check itself must not recurse
    hook(tContext);
  }
  std::fprintf(stderr, "This is a mistake in the compiler, not in your file. Please report it with the input.\n");
  std::fflush(stderr);
  std::_Exit(kExitCompilerBug);
}

} // namespace xt
