// The devices that the OpenCL drivers of this machine offer.
#pragma once
#include "targets/gpu/device.h"
#include "targets/xe/opencl/functions.h"

namespace xt {

struct ClDeviceInfo : GpuDeviceInfo {
  ClDeviceInfo() { api = "OpenCL"; }
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
};

// Lists all devices of all drivers. A device that lacks a feature needed by every kernel (SPIR-V, subgroup sizes chosen by the
// kernel, memory accessed by address) is listed with that as its problem, and so is a driver that does not list its devices.
// Returns an Error if the drivers cannot be listed.
Result<std::vector<ClDeviceInfo>> listClDevices(const ClFunctions &functions);

} // namespace xt
