// Properties of the simulated device: the rules come from ir/gpu/target_info.h, the other properties that a host can
// query from here.
#pragma once
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"

#include <string>
#include <string_view>
#include <vector>

namespace xt::soft {

struct DeviceSettings {
  const TargetInfo *target = nullptr;
  std::string name;      // "xt software device (PVC rules)"
  uint32_t deviceId = 0; // PCI id of the hardware with these rules
  uint32_t slices = 1, subslicesPerSlice = 1, eusPerSubslice = 1, threadsPerEu = 8;
  uint32_t clockMhz = 0;
  // Whether accesses to shared local memory are watched (memory_watch.h), and whether asynchronous copies arrive at once
  // instead of when a wait forces it.
  bool watchesMemory = false, copiesAtOnce = false;
  uint32_t threads = 1; // threads of this machine that run workgroups
  std::vector<std::string> lacks = {}; // SPIR-V extensions, whose modules are not built
  bool leavesCallsOut = false; // whether a launch can leave out a barrier, wait or fence (ordering_calls.h)
  bool watchesGlobal =
      false; // with watchesMemory: global memory too, which takes 64 bytes for each byte that a workgroup accesses
  std::string mutations = {}; // a file to which launches append what they find without each of these; empty: they do not try
};

// Settings of a device with the rules of a GPU from NVIDIA, with XT_SOFT_THREADS threads (by default all of the machine's). If
// XT_SOFT_COPIES is `at_once`, asynchronous copies arrive at once. XT_SOFT_MUTATIONS is the file for `mutations`. Global memory
// is watched if there is one, or if XT_SOFT_WATCH is `global`.
DeviceSettings nvidiaSettings(const TargetInfo &target);
// Settings by name: pvc, bmg or dg2. The Error for an unknown name lists the valid ones.
Result<DeviceSettings> deviceSettings(std::string_view name);
// Settings from the environment: the comma-separated devices of XT_SOFT_DEVICE (by default all, pvc first), with
// XT_SOFT_THREADS threads (by default all of the machine's), which lack the comma-separated SPIR-V extensions of XT_SOFT_LACKS.
Result<std::vector<DeviceSettings>> devicesFromEnvironment();

} // namespace xt::soft
