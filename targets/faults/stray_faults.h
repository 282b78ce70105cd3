// Memory that is not there, on threads that are not ours.
#pragma once
#include "targets/faults/fault_guard.h"

namespace xt {

// For drivers that run kernels on threads of their own. While one lives, a fault of a thread that is in no guarded call, other
// than the thread that made this, stops that thread for good, and fault() tells of the first one. What the driver holds then
// stays held: it must not be called again, nor may what it does at the end of the process run.
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
