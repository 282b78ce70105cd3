// The devices that the drivers of this machine offer.
#pragma once
#include "ir/target_info.h"
#include "targets/xe/level_zero/functions.h"

#include <array>

namespace xt {

struct ZeDeviceInfo {
  ze_driver_handle_t driver = nullptr;
  ze_device_handle_t device = nullptr;
  std::string name;             // as the driver says it
  std::string driverVersion;    // "1.3.24595"; of the driver
  bool software = false;        // the software device of this project
  bool intelGpu = false;        // hardware
  // The loader has several drivers, so that handles are its own. One of a build that fails is not: it must not be used.
  bool wrapped = false;
  const TargetInfo *target = nullptr; // what to compile for; "spirv" for devices that are not known
  int64_t memoryBytes = 0;
  std::vector<int64_t> subgroupSizes;
  int64_t slmBytes = 0;         // of a workgroup
  int64_t lanesPerWorkgroup = 0;
  std::array<uint64_t, 3> mostWorkgroups{}; // x, y, z
  bool f64 = false;
  uint32_t queueOrdinal = 0; // of a queue that runs kernels
  double tickNanoseconds = 0;
  int timestampBits = 64;
  std::string problem; // why it cannot be used; "" if it can
};

// The software device calls itself so; then comes what it stands for.
inline constexpr std::string_view kSoftwareDeviceName = "xt software device";

// Initialises Level Zero, once a process, and lists all devices of all drivers; none is an empty list. A device whose
// properties cannot be had is listed with its problem. An Error where zeInitDrivers, zeInit or a driver fails in a way that is not
// "there is none".
Result<std::vector<ZeDeviceInfo>> listZeDevices(const ZeFunctions &functions);

// What code for a device of Intel's is compiled for, by its PCI id; "spirv" where the id is not known.
const TargetInfo *targetOfPciId(uint32_t id);

} // namespace xt
