// The devices on which libraries that are compiled ahead of time run.
#pragma once
#include "targets/gpu/device.h"

namespace xt {

// Opens the first device that runs the code of a target. An Error lists the devices that there are, or says which part is missing.
Result<std::unique_ptr<GpuDevice>> openDevice(const TargetInfo &target);

// Devices in objects of the caller, which must outlive them; xtrt.h says which. An Error if the device does not run the target's code.
Result<std::unique_ptr<GpuDevice>> adoptLevelZero(const TargetInfo &target, void *context, void *device, void *list);
Result<std::unique_ptr<GpuDevice>> adoptCuda(const TargetInfo &target, void *context, int device, void *stream);

} // namespace xt
