// NVIDIA's driver in this process: opened once, the devices that it lists, and those in use.
#pragma once
#include "targets/gpu/adopted_devices.h"
#include "targets/nv/driver/device.h"
#include "targets/target.h"

#include <mutex>

namespace xt {

// The parts of this machine that NVIDIA's GPUs and the output of xtc for them need.
std::vector<MachinePart> nvMachineParts();

// One object per process. Devices stay open until the process ends. Thread-safe.
class NvRuntime {
public:
  static NvRuntime &ofProcess();

  bool hasDriver(); // its library can be opened
  // The devices of the driver. An Error if there is no driver, or it does not start.
  Result<std::span<const CuDeviceInfo>> devices();
  // The first device that runs the code of `target`; the Error says why none does. open() also opens it.
  Result<const CuDeviceInfo *> choose(const TargetInfo &target);
  Result<GpuDevice *> open(const TargetInfo &target);
  // A device in a context of the caller. Programs with the same objects share it.
  Result<std::shared_ptr<GpuDevice>> adopt(const TargetInfo &target, const NativeObjects &native);

private:
  NvRuntime() = default;
  Result<void> start();

  std::recursive_mutex mutex_;
  std::optional<Result<void>> started_;
  bool hasDriver_ = false;
  CuFunctions cu_;
  std::vector<CuDeviceInfo> devices_;
  AdoptedDevices adopted_;
  std::vector<std::unique_ptr<GpuDevice>> open_; // by device; null: not opened yet
};

} // namespace xt
