// What kernels of the generic target may take of a device that is there: that target promises what every device has, and
// most have more.
#pragma once
#include "targets/xe/device/device.h"

namespace xt {

class DeviceLimits {
public:
  // `generic` ("spirv") with the subgroup sizes, the memory and the lanes of a workgroup that the device tells of; what it
  // does not tell stays. Sizes come in the order of `generic`, others after them.
  DeviceLimits(const TargetInfo &generic, const XeDeviceInfo &device);
  DeviceLimits(const DeviceLimits &) = delete;
  DeviceLimits &operator=(const DeviceLimits &) = delete;
  const TargetInfo &info() const { return info_; } // lives as long as this

private:
  std::vector<int64_t> sizes_;
  TargetInfo info_;
};

} // namespace xt
