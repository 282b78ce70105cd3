// The GPUs that NVIDIA's driver offers.
#pragma once
#include "targets/gpu/device.h"
#include "targets/nv/driver/functions.h"

namespace xt {

struct CuDeviceInfo : GpuDeviceInfo {
  CuDeviceInfo() { api = "CUDA"; }
  CuDeviceId device = 0;
  int capability = 0; // 90: compute capability 9.0
  int64_t multiprocessors = 0;
};

// The first version of CUDA, as cuDriverGetVersion gives it, whose drivers take the PTX that is emitted (8.4; targets/nv/emit/ptx.cc).
inline constexpr int kFirstCudaVersion = 12040;

// Starts the driver and lists its devices. One that cannot be used is listed with its problem. Empty if there are none. An Error if
// the driver does not start.
Result<std::vector<CuDeviceInfo>> listCuDevices(const CuFunctions &cu);

// Whether a device runs the code of a target.
bool runsOn(const CuDeviceInfo &device, const TargetInfo &target);

// The listed device with a number. An Error if there is none, or if it does not run the code of `target`.
Result<const CuDeviceInfo *> cuDeviceOf(std::span<const CuDeviceInfo> devices, CuDeviceId number, const TargetInfo &target);

} // namespace xt
