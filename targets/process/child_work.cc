#include "targets/process/child_work.h"

#include "ir/base/crash.h"
#include "ir/base/descriptor.h"
#include "ir/base/exit_status.h"
#include "ir/base/temporary_files.h"
#include "ir/base/text.h"
#include "targets/process/end_with_parent.h"
#include "targets/process/program.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace xt {
namespace {

[[noreturn]] void workInChild(const std::function<std::string()> &work, pid_t parent, int to) {
  endWithParent(parent);
  disableCrashBundles(); // the parent writes one
  forgetTemporaries();
  bool written = writeAll(to, work()) == 0;
  _exit(written ? 0 : kExitEnvironment);
}

} // namespace

Result<std::string> inChildProcess(std::string_view what, const std::function<std::string()> &work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Error::environment(str("cannot make a pipe to the process that ", what, ": ", std::strerror(errno)));
  pid_t parent = getpid(), child = fork();
  if (child == 0) workInChild(work, parent, ends[1]);
  int failed = errno;
  close(ends[1]);
  std::string result;
  int unread = child > 0 ? readAll(ends[0], result) : 0;
  close(ends[0]);
  if (child < 0) return Error::environment(str("cannot start the process that ", what, ": ", std::strerror(failed)));
  int status = waitForEnd(child);
  if (unread) return Error::environment(str("cannot read from the process that ", what, ": ", std::strerror(unread)));
  if (status == 0) return result;
  // The child has printed which limit it reached.
  if (status == kExitEnvironment) return Error::environment(str("the system is out of memory for the process that ", what));
  if (status == 128 + SIGKILL)
    return Error::environment(str("the process that ", what, " was killed, probably because the system ran out of memory"));
  return internalError(str("the process that ", what, " crashed", status > 128 ? str(" (signal ", status - 128, ")") : ""));
}

} // namespace xt
