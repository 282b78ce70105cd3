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

// All devices of all drivers. A device that lacks a feature needed by every kernel (SPIR-V, subgroup sizes chosen by
// the kernel, memory accessed by address) is listed with that as its problem. An Error if no driver has a device, or
// if a call fails.
Result<std::vector<ClDeviceInfo>> listClDevices(const ClFunctions &functions);

} // namespace xt
