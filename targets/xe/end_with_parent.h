// Child processes that compile for this one: none of them outlives it.
#pragma once
#include <csignal>

#include <sys/prctl.h>
#include <unistd.h>

namespace xt {

// In a child that was just forked: it is killed when the thread that forked it ends, by whatever signal. `parent`: the
// process that forked it.
inline void endWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1); // it has ended already
}

} // namespace xt
