#include "targets/nv/runtime.h"

#include "ir/base/shared_library.h"
#include "ir/base/text.h"
#include "targets/nv/sass/assembler.h"

#include <unistd.h>

namespace xt {
namespace {

constexpr int kMostDeviceFiles = 32;
// The Windows Subsystem for Linux has no device files of NVIDIA's, but this library where Windows has NVIDIA's driver.
constexpr const char *kDriverOfWindows = "/usr/lib/wsl/lib/libcuda.so.1";

bool hasNvidiaGpu() {
  for (int i = 0; i < kMostDeviceFiles; ++i) // a container may have only some of them
    if (access(str("/dev/nvidia", i).c_str(), F_OK) == 0) return true;
  return access(kDriverOfWindows, F_OK) == 0;
}

std::string listed(std::span<const CuDeviceInfo> devices) {
  std::vector<std::string> names;
  for (const CuDeviceInfo &device : devices)
    names.push_back(device.problem.empty() ? str(device.name, " (compute capability ", device.capability / 10, ".",
                                                 device.capability % 10, ", ", device.slmBytes, " bytes of shared memory)")
                                           : str(device.name, ", which cannot be used: ", device.problem));
  return names.empty() ? "NVIDIA's driver finds none" : str("there is ", join(names, ", "));
}

// Why no device of the driver can be used; "" if one can.
std::string whyUnusable() {
  auto devices = NvRuntime::ofProcess().devices();
  if (!devices) return devices.error().message;
  for (const CuDeviceInfo &device : *devices)
    if (device.problem.empty()) return "";
  return listed(*devices);
}

} // namespace

std::vector<MachinePart> nvMachineParts() {
  bool gpu = hasNvidiaGpu();
  std::vector<MachinePart> all;
  all.push_back({"an NVIDIA GPU", gpu, false, gpu ? "found" : "no file /dev/nvidia0, /dev/nvidia1 …",
                 "the software device is used instead; a GPU appears once the kernel driver nvidia is loaded"});
  if (gpu) {
    std::string why = whyUnusable();
    all.push_back({"NVIDIA's driver", why.empty(), true, why.empty() ? kCuDriver : why,
                   "install version 550 or later of NVIDIA's driver (Debian's package libcuda1)"});
  }
  std::string ptxas = ptxasPath();
  all.push_back({"the program ptxas (for xtc --emit=sass-stats)", !ptxas.empty(), false,
                 ptxas.empty() ? "not in PATH or in a virtual environment" : ptxas, std::string(kPtxasRemedy)});
  return all;
}

NvRuntime &NvRuntime::ofProcess() {
  static auto *runtime = new NvRuntime; // never destroyed: the driver may be unloaded before static objects are destroyed
  return *runtime;
}

Result<void> NvRuntime::start() {
  hasDriver_ = whyNotOpened(kCuDriver).empty();
  Result<CuFunctions> functions = openCuDriver();
  if (!functions) return functions.error();
  cu_ = *functions;
  Result<std::vector<CuDeviceInfo>> devices = listCuDevices(cu_);
  if (!devices) return devices.error();
  devices_ = std::move(*devices);
  open_.resize(devices_.size());
  return {};
}

bool NvRuntime::hasDriver() {
  (void)devices().ok();
  return hasDriver_;
}

Result<std::span<const CuDeviceInfo>> NvRuntime::devices() {
  std::lock_guard lock(mutex_);
  if (!started_) started_ = start();
  if (!*started_) return started_->error();
  return std::span<const CuDeviceInfo>(devices_);
}

Result<const CuDeviceInfo *> NvRuntime::choose(const TargetInfo &target) {
  auto all = devices();
  if (!all) return all.error();
  for (const CuDeviceInfo &device : *all)
    if (runsOn(device, target)) return &device;
  return Error::environment(str("no NVIDIA GPU runs the code of ", target.name, ": ", listed(*all)));
}

Result<std::shared_ptr<GpuDevice>> NvRuntime::adopt(const TargetInfo &target, const NativeObjects &native) {
  std::lock_guard lock(mutex_);
  if (auto started = devices(); !started) return started.error();
  auto info = cuDeviceOf(devices_, static_cast<CuDeviceId>(reinterpret_cast<intptr_t>(native.device)), target);
  if (!info) return info.error();
  return adopted_.get(native, [&] {
    return CuDevice::adopt(cu_, **info, static_cast<CuContext>(native.context), static_cast<CuStream>(native.queue));
  });
}

Result<GpuDevice *> NvRuntime::open(const TargetInfo &target) {
  std::lock_guard lock(mutex_);
  Result<const CuDeviceInfo *> chosen = choose(target);
  if (!chosen) return chosen.error();
  std::unique_ptr<GpuDevice> &device = open_[static_cast<size_t>(*chosen - devices_.data())];
  if (!device) {
    Result<std::unique_ptr<CuDevice>> made = CuDevice::open(cu_, **chosen);
    if (!made) return made.error();
    device = std::move(*made);
  }
  return device.get();
}

} // namespace xt
