// The limits that kernels of the generic target may use on the present device. The generic target only promises what every
// device has, and most devices have more.
#pragma once
#include "targets/gpu/device.h"

namespace xt {

class DeviceLimits {
public:
  // Copies `generic` ("spirv"), with the subgroup sizes, the shared local memory and the lanes per workgroup that the device
  // reports; limits that it does not report stay those of `generic`. Subgroup sizes that `generic` also has come first, in
  // its order.
  DeviceLimits(const TargetInfo &generic, const GpuDeviceInfo &device);
  DeviceLimits(const DeviceLimits &) = delete;
  DeviceLimits &operator=(const DeviceLimits &) = delete;
  const TargetInfo &info() const { return info_; } // valid as long as this object

private:
  std::vector<int64_t> sizes_;
  TargetInfo info_;
};

} // namespace xt
