// The devices that the drivers of this machine offer.
#pragma once
#include "targets/xe/device/device.h"
#include "targets/xe/level_zero/functions.h"

namespace xt {

struct ZeDeviceInfo : XeDeviceInfo {
  ZeDeviceInfo() { api = "Level Zero"; }
  ze_driver_handle_t driver = nullptr;
  ze_device_handle_t device = nullptr;
  // The loader has several drivers, so that handles are its own. One of a build that fails is not: it must not be used.
  bool wrapped = false;
  uint32_t queueOrdinal = 0; // of a queue that runs kernels
  double tickNanoseconds = 0;
  int timestampBits = 64;
};

// The software device calls itself so; then comes what it stands for.
inline constexpr std::string_view kSoftwareDeviceName = "xt software device";

// Initialises Level Zero, once a process, and lists all devices of all drivers; none is an empty list. A device whose
// properties cannot be had is listed with its problem. An Error where zeInitDrivers, zeInit or a driver fails in a way that is not
// "there is none".
Result<std::vector<ZeDeviceInfo>> listZeDevices(const ZeFunctions &functions);

} // namespace xt
