#include "ir/base/process.h"

#include "ir/base/descriptor.h"
#include "ir/base/temporary_files.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <fcntl.h>
#include <new>
#include <string_view>
#include <typeinfo>
#include <unistd.h>

namespace xt {
namespace {

const char *toolName = "xt";
int outputError = 0; // the errno of a failed write to standard output, or 0

// Opens the standard streams that are closed. A newly opened file gets the lowest free descriptor, so printed text could
// otherwise end up in such a file.
void openStandardStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // Opened in the wrong direction, so that reading or writing it still fails with EBADF.
    (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Must not allocate memory.
[[noreturn]] void endByLimit(std::string_view what) {
  for (std::string_view text :
       {std::string_view("\n"), std::string_view(toolName), std::string_view(": "), what, std::string_view("\n")})
    (void)writeAll(STDERR_FILENO, text);
  removeTemporaries();
  _exit(kExitEnvironment);
}

void outOfMemory() { endByLimit("out of memory (limits: free memory, `ulimit -v`)"); }

void onTerminate() {
  const std::type_info *type = abi::__cxa_current_exception_type();
  std::string_view name = type ? type->name() : "";
  if (name == "St12system_error")
    endByLimit(
        "the system cannot start more threads (limits: `ulimit -u`, `ulimit -v`, the memory and processes of a container)");
  if (name == "St9bad_alloc") outOfMemory();
  std::abort();
}

} // namespace

void startProcess(const char *tool) {
  toolName = tool;
  openStandardStreams();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  removeTemporariesOnSignals();
  std::set_new_handler(outOfMemory);
  std::set_terminate(onTerminate);
}

bool standardOutputLost() {
  if (std::fflush(stdout) != 0 && !outputError) outputError = errno;
  return outputError || std::ferror(stdout);
}

int endProcess(int status) {
  if (!standardOutputLost()) return status;
  // stdio does not keep the cause of an earlier failed write. One more write fails with this cause; if it succeeds, it does no
  // harm, because the output is incomplete anyway.
  if (!outputError && write(STDOUT_FILENO, "\n", 1) < 0) outputError = errno;
  if (outputError != EPIPE)
    std::fprintf(stderr, "%s: cannot write standard output%s%s\n", toolName, outputError ? ": " : "",
                 outputError ? std::strerror(outputError) : "");
  return status == kExitUsage || status == kExitCompilerBug ? status : kExitEnvironment;
}

} // namespace xt
