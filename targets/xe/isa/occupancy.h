// How much of a core the workgroups of a kernel can occupy.
#pragma once
#include "ir/gpu/target_info.h"

#include <string>

namespace xt {

struct Occupancy {
  int64_t engineThreads = 0;   // threads of one vector engine, given the registers of each thread
  // An upper bound on the workgroups that run on a core at the same time: shared local memory is allocated in steps.
  int64_t workgroups = 0;
  // hardware threads that these workgroups occupy, and all threads of a core with the smallest register file
  int64_t threads = 0, of = 0;
  bool bySlm = false;          // the limit is shared local memory, not threads
};

// Computes the occupancy for workgroups with this many subgroups, registers per thread and bytes of shared local memory. All
// members are 0 if the resources of the target's core are unknown.
Occupancy occupancyOf(const TargetInfo &target, int64_t registers, int64_t subgroups, int64_t slmBytes);
// "4 threads per engine with 256 registers (8 with 128); 1 workgroup of 32 subgroups per core: …"; "" if the occupancy is
// unknown.
std::string text(const Occupancy &occupancy, const TargetInfo &target, int64_t registers, int64_t subgroups);

} // namespace xt
