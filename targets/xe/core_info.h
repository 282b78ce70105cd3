// The resources of a GPU core for the workgroups that run on it at the same time.
#pragma once
#include "ir/gpu/target_info.h"

namespace xt {

// The resources of an Xe-core (a subslice): vector engines, hardware threads per engine (one subgroup each) with the smallest
// register file, and shared local memory. With twice the registers, half as many threads run. All 0 for targets that are not
// actual hardware. Source: Intel's GPU occupancy calculator (oneAPI-samples, Tools/GPU-Occupancy-Calculator).
struct CoreInfo {
  int64_t engines = 0, engineThreads = 0, slmBytes = 0;
};

inline CoreInfo coreInfo(const TargetInfo &target) {
  if (target.name == "xe-pvc" || target.name == "xe-bmg") return {8, 8, 128 << 10};
  if (target.name == "xe-dg2") return {16, 8, 128 << 10};
  return {};
}

// The number of threads that run on an engine if each of them has this many registers.
inline int64_t engineThreads(const TargetInfo &target, int64_t registers) {
  int64_t smallest = target.registerFile[0];
  return registers <= smallest ? coreInfo(target).engineThreads : coreInfo(target).engineThreads * smallest / registers;
}

} // namespace xt
