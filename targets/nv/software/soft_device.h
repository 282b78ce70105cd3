// The software NVIDIA device for launches: it runs the LLVM module of the kernels, before code generation, on this machine's
// processor (targets/soft).
#pragma once
#include "targets/gpu/device.h"

namespace xt {

// What the device has: the limits of `target`, which must be one of GpuFamily::Nvidia.
GpuDeviceInfo softNvInfo(const TargetInfo &target);
// A device with the rules of `target`, which must outlive it. The binary of its kernels is bitcode (compileToNvvm).
std::unique_ptr<GpuDevice> makeSoftNvDevice(const TargetInfo &target);

} // namespace xt
