// What a core of a GPU has for the workgroups that run on it at one time.
#pragma once
#include "ir/target_info.h"

namespace xt {

// Of an Xe-core (a subslice): vector engines, each with so many hardware threads (one a subgroup) of the smallest register
// file, half as many of twice the registers; and shared local memory. All 0 of targets that are of no one's hardware.
// Source: Intel's GPU occupancy calculator (oneAPI-samples, Tools/GPU-Occupancy-Calculator).
struct CoreInfo {
  int64_t engines = 0, engineThreads = 0, slmBytes = 0;
};

inline CoreInfo coreInfo(const TargetInfo &target) {
  if (target.name == "xe-pvc" || target.name == "xe-bmg") return {8, 8, 128 << 10};
  if (target.name == "xe-dg2") return {16, 8, 128 << 10};
  return {};
}

// Threads of an engine when each has so many registers.
inline int64_t engineThreads(const TargetInfo &target, int64_t registers) {
  int64_t smallest = target.registerFile[0];
  return registers <= smallest ? coreInfo(target).engineThreads : coreInfo(target).engineThreads * smallest / registers;
}

} // namespace xt
