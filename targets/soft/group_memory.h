// The memory that a workgroup may access: its shared local memory, and the allocations of the launch.
#pragma once
#include "targets/soft/launch_description.h"

#include <memory>

namespace xt::soft {

class GroupMemory {
public:
  explicit GroupMemory(const Launch &launch);

  void reset(); // restores the initial contents of shared local memory
  std::byte *local() const { return local_.get(); }
  // The memory of an argument that points to shared local memory, whose size the host has set; null for other arguments.
  std::byte *localArgument(size_t argument) const;
  bool inLocal(uint64_t address) const;
  // The variable that contains all these bytes; null if there is no such variable.
  const LocalVariable *localVariable(uint64_t address, uint64_t bytes) const;
  // The allocation in which kernels may access all these bytes; null if there is none. Caches the most recent ones.
  const Allocation *allocationOf(uint64_t address, uint64_t bytes);

private:
  struct Free {
    void operator()(std::byte *memory) const;
  };

  const Launch &launch_;
  std::unique_ptr<std::byte, Free> local_;
  Allocation lastAllocations_[2];
};

} // namespace xt::soft
