#include "targets/gpu/ahead/runtime/open_device.h"

#include "ir/base/text.h"
#include "targets/nv/driver/device.h"
#include "targets/xe/device/device_choice.h"
#include "targets/xe/level_zero/device.h"

namespace xt {
namespace {

template <class Device> Result<std::unique_ptr<GpuDevice>> asGpuDevice(Result<std::unique_ptr<Device>> device) {
  if (!device) return device.error();
  return std::unique_ptr<GpuDevice>(std::move(*device));
}

// The functions of a driver's interface, and its devices.
template <class Functions, class Info> struct Interface {
  Functions functions;
  std::vector<Info> devices;
};

template <class Functions, class Info>
Result<Interface<Functions, Info>> started(Result<Functions> functions,
                                           Result<std::vector<Info>> (*listDevices)(const Functions &)) {
  if (!functions) return functions.error();
  Result<std::vector<Info>> devices = listDevices(*functions);
  if (!devices) return devices.error();
  return Interface<Functions, Info>{*functions, std::move(*devices)};
}

auto startLevelZero() { return started(openZeLoader(), listZeDevices); }
auto startCuda() { return started(openCuDriver(), listCuDevices); }

Result<std::unique_ptr<GpuDevice>> openIntel(const TargetInfo &target) {
  auto started = startLevelZero();
  if (!started) return started.error();
  std::vector<const GpuDeviceInfo *> all;
  for (const ZeDeviceInfo &info : started->devices) all.push_back(&info);
  Result<size_t> chosen = chooseDevice(all, target.name, DeviceChoice::Any);
  if (!chosen) return chosen.error();
  return asGpuDevice(ZeDevice::open(started->functions, started->devices[*chosen]));
}

Result<std::unique_ptr<GpuDevice>> openNvidia(const TargetInfo &target) {
  auto started = startCuda();
  if (!started) return started.error();
  std::vector<std::string> others;
  for (const CuDeviceInfo &info : started->devices) {
    if (runsOn(info, target)) return asGpuDevice(CuDevice::open(started->functions, info));
    others.push_back(cuDeviceOf(started->devices, info.device, target).error().message);
  }
  return Error::environment(others.empty() ? "NVIDIA's driver finds no GPU" : join(others, "; "));
}

} // namespace

Result<std::unique_ptr<GpuDevice>> openDevice(const TargetInfo &target) {
  return target.family == GpuFamily::Nvidia ? openNvidia(target) : openIntel(target);
}

Result<std::unique_ptr<GpuDevice>> adoptLevelZero(const TargetInfo &target, void *context, void *device, void *list) {
  auto started = startLevelZero();
  if (!started) return started.error();
  auto info = zeDeviceOf(started->devices, static_cast<ze_device_handle_t>(device), target.name);
  if (!info) return info.error();
  return asGpuDevice(ZeDevice::adopt(started->functions, **info, static_cast<ze_context_handle_t>(context),
                                     static_cast<ze_command_list_handle_t>(list)));
}

Result<std::unique_ptr<GpuDevice>> adoptCuda(const TargetInfo &target, void *context, int device, void *stream) {
  auto started = startCuda();
  if (!started) return started.error();
  auto info = cuDeviceOf(started->devices, device, target);
  if (!info) return info.error();
  return asGpuDevice(
      CuDevice::adopt(started->functions, **info, static_cast<CuContext>(context), static_cast<CuStream>(stream)));
}

} // namespace xt
