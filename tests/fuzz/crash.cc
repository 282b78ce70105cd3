#include "tests/fuzz/crash.h"

#include "ir/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace xt::fuzz {

void fail(std::string_view what, std::string_view text) {
  std::fprintf(stderr, "%.*s\n%.*s\n", static_cast<int>(what.size()), what.data(), static_cast<int>(text.size()), text.data());
  std::abort();
}

} // namespace xt::fuzz

// A failed XT_CHECK exits with a status, which libFuzzer would take for a normal exit, but it keeps the input of a crash. The
// linker redirects calls of _Exit to this function (--wrap).
extern "C" [[noreturn]] void __real__Exit(int status);
extern "C" [[noreturn]] void __wrap__Exit(int status) {
  if (status == xt::kExitCompilerBug) std::abort();
  __real__Exit(status);
}
