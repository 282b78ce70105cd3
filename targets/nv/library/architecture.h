// The architectures of NVIDIA's GPUs: their names, and what one of their multiprocessors has.
#pragma once
#include "ir/gpu/target_info.h"

#include <string>

namespace xt {

// The name of the architecture that the code of a target is made for, for LLVM and for ptxas: "sm_80" for "nv-sm80". Later GPUs run
// the code of the first one, which is that of "nv", too.
std::string architectureOf(const TargetInfo &target);
// The same as a compute capability: 80 for "nv-sm80".
int computeCapabilityOf(const TargetInfo &target);

// The resources of a multiprocessor. Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
struct MultiprocessorInfo {
  int64_t warps = 0, workgroups = 0; // that run on it at the same time, at most
  int64_t registers = 0; // of 32 bits
  int64_t slmBytes = 0;
};
MultiprocessorInfo multiprocessorOf(const TargetInfo &target);

} // namespace xt
