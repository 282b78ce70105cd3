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

// A failed XT_CHECK calls _Exit. LibFuzzer saves the input only if the process aborts, so the linker redirects _Exit to this
// function (--wrap), which aborts in that case.
extern "C" [[noreturn]] void __real__Exit(int status);
extern "C" [[noreturn]] void __wrap__Exit(int status) {
  if (status == xt::kExitCompilerBug) std::abort();
  __real__Exit(status);
}
