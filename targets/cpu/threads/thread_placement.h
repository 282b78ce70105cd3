// Where the other threads of a launch may run: on any processor but the one of the thread that launches.
#pragma once
#include <sched.h>
#include <thread>
#include <vector>

namespace xt {

// The processors for `workers` threads, the launching one among them, when that runs on processor `launching`: those of
// `allowed` without it, or all of `allowed` where the rest would be too few for the others.
cpu_set_t processorsBeside(const cpu_set_t &allowed, int launching, int workers);

// A kernel may wake a thread on the processor of the one that wakes it, expecting that one to sleep soon. The thread
// that launches goes on working, so that both share a processor until the load is balanced, milliseconds later.
// Measured on two virtual processors: a 512x512x512 product of f32 took with two threads as long as with one.
class ThreadPlacement {
public:
  // `threads`: all but the calling one. What that may use bounds what the others may. Costs a system call, and more
  // where the calling thread has moved since the last time, or may use others.
  void keepBeside(std::vector<std::thread> &threads);

private:
  int launching_ = -1; // of the last time: the processor that was left out, of those that were allowed
  cpu_set_t allowed_{};
};

} // namespace xt
