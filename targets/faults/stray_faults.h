// Handles invalid memory accesses on foreign threads.
#pragma once
#include "targets/faults/fault_guard.h"

namespace xt {

// For drivers that run kernels on their own threads. While a trap exists, a fault outside of guarded calls, on any thread
// except the one that created the trap, stops that thread forever, and fault() reports the first such fault. Resources that the
// driver holds then stay locked: it must not be called again, and its cleanup at the end of the process must not run.
class StrayFaultTrap {
public:
  StrayFaultTrap();
  ~StrayFaultTrap();
  StrayFaultTrap(const StrayFaultTrap &) = delete;
  StrayFaultTrap &operator=(const StrayFaultTrap &) = delete;

  static std::optional<MemoryFault> fault();

private:
  FaultGuard guard_;
};

} // namespace xt
