// How many workgroups of a kernel run on a multiprocessor at the same time.
#pragma once
#include "ir/gpu/target_info.h"

#include <string>

namespace xt {

struct NvOccupancy {
  int64_t workgroups = 0;
  int64_t warps = 0, of = 0; // of these workgroups, and the most that a multiprocessor runs
  std::string_view limit;    // what limits them: "registers"
};

// `registers`: of a lane. `slmBytes`: of a workgroup. Registers are given to a warp in units of 256 of one of the four partitions of
// a multiprocessor, and shared memory in units of 128
// bytes, of which each workgroup takes 1 KiB for the system (CUDA C++ Programming Guide, "Shared Memory" of compute capability 8.x).
NvOccupancy nvOccupancy(const TargetInfo &target, int64_t registers, int64_t warps, int64_t slmBytes);
// "2 workgroups of 4 subgroups per multiprocessor: 8 of 64 warps, limited by registers"
std::string text(const NvOccupancy &occupancy, int64_t warps);

} // namespace xt
