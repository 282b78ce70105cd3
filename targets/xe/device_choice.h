// Which of the devices of a machine a target runs on.
#pragma once
#include "targets/target.h"
#include "targets/xe/device/device.h"

#include <span>

namespace xt {

// Whether a device can run what is compiled for a target; its problems aside.
bool runsOn(const XeDeviceInfo &device, std::string_view target);

// The index of the device for a target ("xe", or the name of a TargetInfo). `xe` takes the first Intel GPU, else the
// first software device; a named one takes a device of that kind, "spirv" any. With DeviceChoice::OpenCl the devices are
// those of OpenCL, of which any will do. The Error says what is there instead.
Result<size_t> chooseDevice(std::span<const XeDeviceInfo *const> devices, std::string_view target, DeviceChoice choice);

} // namespace xt
