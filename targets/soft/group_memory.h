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
  // What a pointer to shared local memory that the host has given a size points to; null if the argument is none.
  std::byte *localArgument(size_t argument) const;
  bool inLocal(uint64_t address) const;
  // The variable that contains all these bytes; null if there is no such variable.
  const LocalVariable *localVariable(uint64_t address, uint64_t bytes) const;
  const Allocation *allocationOf(uint64_t address, uint64_t bytes); // caches the most recent ones

private:
  struct Free {
    void operator()(std::byte *memory) const;
  };

  const Launch &launch_;
  std::unique_ptr<std::byte, Free> local_;
  Allocation lastAllocations_[2];
};

} // namespace xt::soft
