// Level Zero in this process: the loader, opened once, the devices that it lists, and those that are in use.
#pragma once
#include "targets/target.h"
#include "targets/xe/level_zero/device.h"

namespace xt {

// The software device's driver, which the build puts beside the programs.
inline constexpr const char *kSoftDriver = "libze_xt_soft.so";

// Where that is for a program in this folder, "/…/bin": in "lib" beside the folder or in the folder itself; "" if
// nowhere.
std::string softDriverPath(const std::string &programFolder);

// Whether this machine has an Intel GPU and a driver for it; what the driver makes of the GPU is another matter.
bool mayHaveIntelGpu();

// What of this machine Level Zero and the software device need.
std::vector<Requirement> xeRequirements();

// What the variable ZE_ENABLE_ALT_DRIVERS has to be, given what it is ("": not set), so that the loader finds the drivers
// of a choice; `soft`: the path of the software device's ("": there is none). nullopt: it is to stay as it is. Two
// drivers only where there may be a GPU: the loader does worse with them (ZeDeviceInfo::wrapped).
std::optional<std::string> driversFor(DeviceChoice choice, const std::string &given, const std::string &soft, bool gpu);

// One for the process, as Level Zero is initialised once: what is asked first decides which drivers are there. Devices
// stay open to the end. One thread at a time.
class XeRuntime {
public:
  static XeRuntime &ofProcess();

  // Environment errors: no loader, no driver that works.
  Result<std::span<const ZeDeviceInfo>> devices(DeviceChoice choice);
  // What chooseDevice gives, and the same opened.
  Result<const ZeDeviceInfo *> choose(std::string_view target, DeviceChoice choice);
  Result<ZeDevice *> open(std::string_view target, DeviceChoice choice);

private:
  XeRuntime() = default;
  Result<void> start(DeviceChoice choice);

  std::optional<Result<void>> started_;
  ZeFunctions functions_;
  std::vector<ZeDeviceInfo> devices_;
  std::vector<std::unique_ptr<ZeDevice>> open_; // by device; null: not yet
};

} // namespace xt
