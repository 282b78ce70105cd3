// Which device this is: the rules come from ir/target_info.h, what a host asks besides from here.
#pragma once
#include "ir/base/result.h"
#include "ir/target_info.h"

#include <string>
#include <string_view>
#include <vector>

namespace xt::soft {

struct DeviceSettings {
  const TargetInfo *target = nullptr;
  std::string name;      // "xt software device (PVC rules)"
  uint32_t deviceId = 0; // of the part whose rules these are
  uint32_t slices = 1, subslicesPerSlice = 1, eusPerSubslice = 1, threadsPerEu = 8;
  uint32_t clockMhz = 0;
  uint32_t threads = 1; // of this machine that run workgroups
};

// By name: pvc, bmg or dg2. An unknown one is an Error that names them.
Result<DeviceSettings> deviceSettings(std::string_view name);
// By the environment: those that XT_SOFT_DEVICE names, separated by commas (unless it is set all, pvc first), with
// XT_SOFT_THREADS threads (all of the machine's).
Result<std::vector<DeviceSettings>> devicesFromEnvironment();

} // namespace xt::soft
