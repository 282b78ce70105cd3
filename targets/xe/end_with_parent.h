// Child processes that compile for this process must not outlive it.
#pragma once
#include <csignal>

#include <sys/prctl.h>
#include <unistd.h>

namespace xt {

// To be called in a child after fork: the child is killed when the thread that forked it ends for any reason. `parent`: the
// process that forked it.
inline void endWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1); // the parent has already ended
}

} // namespace xt
