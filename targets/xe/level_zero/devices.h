// The devices that the drivers of this machine offer.
#pragma once
#include "targets/gpu/device.h"
#include "targets/xe/level_zero/functions.h"

namespace xt {

struct ZeDeviceInfo : GpuDeviceInfo {
  ZeDeviceInfo() { api = "Level Zero"; }
  ze_driver_handle_t driver = nullptr;
  ze_device_handle_t device = nullptr;
  // The loader has several drivers and wraps their handles. The build log of a failed build is not wrapped, so it must not
  // be used.
  bool wrapped = false;
  uint32_t queueOrdinal = 0; // ordinal of a queue group that runs kernels
  double tickNanoseconds = 0;
  int timestampBits = 64;
};

// The software device's name begins with this, followed by the hardware that it simulates.
inline constexpr std::string_view kSoftwareDeviceName = "xt software device";

// Initialises Level Zero, once per process, and lists all devices of all drivers. A device whose properties cannot be read is
// listed with its problem, and so is a driver that does not list its devices. The list is empty if there are no drivers or no
// devices. Any other failure to initialise or to list the drivers is an Error.
Result<std::vector<ZeDeviceInfo>> listZeDevices(const ZeFunctions &functions);

// The listed device with a handle. An Error if it is not listed, cannot be used, or does not run the code of a target (runsOn).
Result<const ZeDeviceInfo *> zeDeviceOf(std::span<const ZeDeviceInfo> devices, ze_device_handle_t handle,
                                        std::string_view target);

} // namespace xt
