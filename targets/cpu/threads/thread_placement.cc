#include "targets/cpu/threads/thread_placement.h"

namespace xt {

cpu_set_t processorsBeside(const cpu_set_t &allowed, int launching, int workers) {
  if (launching < 0 || launching >= CPU_SETSIZE || CPU_COUNT(&allowed) < workers) return allowed;
  cpu_set_t rest = allowed;
  CPU_CLR(static_cast<size_t>(launching), &rest);
  return rest;
}

void ThreadPlacement::keepBeside(std::span<const pthread_t> threads) {
  cpu_set_t allowed;
  // If there are more processors than a set has room for, the system call fails, and threads are not moved.
  if (threads.empty() || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  int here = sched_getcpu();
  if (here == launching_ && CPU_EQUAL(&allowed, &allowed_)) return;
  launching_ = here, allowed_ = allowed;
  cpu_set_t rest = processorsBeside(allowed, here, static_cast<int>(threads.size()) + 1);
  for (pthread_t thread : threads) pthread_setaffinity_np(thread, sizeof rest, &rest);
}

} // namespace xt
