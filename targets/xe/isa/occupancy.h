// How much of a core the workgroups of a kernel can occupy.
#pragma once
#include "ir/gpu/target_info.h"

#include <string>

namespace xt {

struct Occupancy {
  int64_t engineThreads = 0;   // threads of one vector engine, given the registers of each thread
  int64_t workgroups =
      0;      // an upper bound on those that run on a core at the same time: shared local memory is allocated in steps
  int64_t threads = 0, of = 0; // hardware threads that they occupy, and those of a core with the smallest register file
  bool bySlm = false;          // the limit is shared local memory, not threads
};

// For workgroups with this many subgroups, registers per thread and bytes of shared local memory. All 0 if the resources of the
// target's core are unknown.
Occupancy occupancyOf(const TargetInfo &target, int64_t registers, int64_t subgroups, int64_t slmBytes);
// "4 threads an engine with 256 registers (8 with 128); 1 workgroup of 32 subgroups a core, …"; "": unknown.
std::string text(const Occupancy &occupancy, const TargetInfo &target, int64_t registers, int64_t subgroups);

} // namespace xt
