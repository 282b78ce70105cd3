// How much of a core a kernel's workgroups can fill.
#pragma once
#include "ir/target_info.h"

#include <string>

namespace xt {

struct Occupancy {
  int64_t engineThreads = 0;   // of one vector engine, with the registers that each takes
  int64_t workgroups = 0;      // at one time on a core, at most: shared local memory is given out in steps
  int64_t threads = 0, of = 0; // hardware threads that they take, and those of a core with the smallest register file
  bool bySlm = false;          // shared local memory keeps further ones away, not threads
};

// Of workgroups of so many subgroups, registers a thread, and bytes of shared local memory; all 0 where the target does
// not say what a core has.
Occupancy occupancyOf(const TargetInfo &target, int64_t registers, int64_t subgroups, int64_t slmBytes);
// "4 threads an engine with 256 registers (8 with 128); 1 workgroup of 32 subgroups a core, …"; "" where it is unknown.
std::string text(const Occupancy &occupancy, const TargetInfo &target, int64_t registers, int64_t subgroups);

} // namespace xt
