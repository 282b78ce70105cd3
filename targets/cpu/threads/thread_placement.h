// Places the other threads of a launch on any processor except that of the launching thread.
#pragma once
#include <pthread.h>
#include <sched.h>
#include <span>

namespace xt {

// The processors for the workers other than the launching one, which runs on processor `launching`: `allowed` without
// `launching`, or all of `allowed` if the rest is too small for these workers. `workers` counts the launching thread.
cpu_set_t processorsBeside(const cpu_set_t &allowed, int launching, int workers);

// Keeps the other workers of a launch off the processor of the launching thread. The operating system may wake a thread on the
// processor of the waking thread, expecting that thread to sleep soon. The launching thread continues to work, so both would
// share a processor until the load is balanced, milliseconds later.
class ThreadPlacement {
public:
  // `threads`: all workers except the calling thread. They may use only processors that the calling thread may use. Costs a
  // system call, and more if the calling thread has moved since the last call or its set of processors has changed.
  void keepBeside(std::span<const pthread_t> threads);

private:
  int launching_ = -1; // of the last call: the processor that was left out, and the set that was allowed
  cpu_set_t allowed_{};
};

} // namespace xt
