// The devices that the OpenCL drivers of this machine offer.
#pragma once
#include "targets/xe/device/device.h"
#include "targets/xe/opencl/functions.h"

namespace xt {

struct ClDeviceInfo : XeDeviceInfo {
  ClDeviceInfo() { api = "OpenCL"; }
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
};

// All devices of all drivers. One that lacks what every kernel needs (SPIR-V, subgroups of a size that the kernel chooses,
// memory with addresses) is listed with what that is as its problem. An Error where there is no driver with a device, or a
// call fails.
Result<std::vector<ClDeviceInfo>> listClDevices(const ClFunctions &functions);

} // namespace xt
