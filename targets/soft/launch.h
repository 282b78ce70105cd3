// Runs a kernel's workgroups on this machine's threads.
#pragma once
#include "targets/soft/program.h"

#include <atomic>
#include <optional>

namespace xt::soft {

// A launch as the host requests it.
struct LaunchRequest {
  const LoweredKernel *kernel = nullptr;
  std::vector<std::vector<std::byte>> arguments; // values; empty for a pointer to shared local memory
  std::vector<size_t> localBytes;                // by argument: bytes of shared local memory for these pointers
  Dimensions groupSize{1, 1, 1}, groupCount{1, 1, 1}, globalOffset{0, 0, 0};
  BankConflicts *bankConflicts = nullptr; // receives conflicts in shared local memory, if memory is watched; may be null
  // The number of a barrier, wait or fence in Program::orderingCalls() that no work-item executes.
  uint32_t without = kNoOrderingCall;
  // The last subgroup of a workgroup begins first.
  bool reversed = false;
  // Unless null, global memory is watched as if all arguments were the same memory, which each accesses this many bytes behind
  // another one, but only among the work-items of a subgroup: what other subgroups do to the same memory, a kernel need not
  // order. Atomic accesses at different places of the kernel must be ordered then, as the ops of a subgroup are.
  std::optional<uint64_t> sameMemory;
};

// Returns an error in the request, found before anything runs; "" if the request is valid.
std::string launchMistake(const LaunchRequest &request, const DeviceSettings &device);

// Runs the launch to its end on `device.threads` threads; returns the report of the first workgroup (x varies fastest) that
// fails. Later workgroups do not begin, or give up. Earlier ones run to their end, but give up after some time, because they
// may wait for the failed one. Setting `stop` ends the launch early, with an empty report.
std::optional<std::string> runLaunch(const Program &program, LaunchRequest &request, const DeviceSettings &device,
                                     const std::atomic<bool> &stop);

} // namespace xt::soft
