// Ends child processes with the thread that started them.
#pragma once
#include <csignal>

#include <sys/prctl.h>
#include <unistd.h>

namespace xt {

// Call in a child that was just forked: it is killed when the thread that forked it ends, for whatever reason. `parent`: the
// process of that thread.
inline void endWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1); // the parent has ended already
}

} // namespace xt
