// Selects the device of the machine that a target runs on.
#pragma once
#include "targets/gpu/device.h"
#include "targets/target.h"

#include <span>

namespace xt {

// Whether a device can run code that was compiled for a target. Ignores GpuDeviceInfo::problem.
bool runsOn(const GpuDeviceInfo &device, std::string_view target);

// Returns the index of the device for a target ("xe", or the name of a TargetInfo). `xe` selects the first Intel GPU,
// otherwise the first software device; a named target selects a device of that kind, "spirv" any device, and "spirv-coop" any
// with cooperative matrices. With DeviceChoice::OpenCl, `devices` are those of OpenCL, and the first one that can run the target
// is selected, whether it is a GPU or not. The Error lists the devices found.
Result<size_t> chooseDevice(std::span<const GpuDeviceInfo *const> devices, std::string_view target, DeviceChoice choice);

} // namespace xt
