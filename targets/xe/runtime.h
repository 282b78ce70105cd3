// The interfaces to devices in this process, Level Zero and OpenCL: each one's loader, opened once, the devices that it
// lists, and those that are in use.
#pragma once
#include "targets/target.h"
#include "targets/xe/level_zero/device.h"
#include "targets/xe/opencl/device.h"

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

// The variables that say which OpenCL drivers there are: the first of Khronos' loader, the second of Debian's.
inline constexpr const char *kClDriversVariables[] = {"OCL_ICD_FILENAMES", "OCL_ICD_VENDORS"};

// Intel's OpenCL driver for CPUs as Python packages bring it, which do not register it: in the lib folder of the virtual
// environment that is active ("": none), or of the one that tests/run makes, build/opencl, for a program in this folder,
// "/…/build/release/bin". "" if nowhere.
std::string packagedClDriver(const std::string &virtualEnvironment, const std::string &programFolder);

// One for the process, as drivers are initialised once: for Level Zero, what is asked first decides which are there.
// Devices stay open to the end. One thread at a time.
class XeRuntime {
public:
  static XeRuntime &ofProcess();

  // Of OpenCL for DeviceChoice::OpenCl, else of Level Zero. Environment errors: no loader, no driver that works.
  Result<std::span<const XeDeviceInfo *const>> devices(DeviceChoice choice);
  // What chooseDevice gives, and the same opened.
  Result<const XeDeviceInfo *> choose(std::string_view target, DeviceChoice choice);
  Result<XeDevice *> open(std::string_view target, DeviceChoice choice);

private:
  struct Interface {
    std::optional<Result<void>> started;
    std::vector<const XeDeviceInfo *> devices;
    std::vector<std::unique_ptr<XeDevice>> open; // by device; null: not yet
  };

  XeRuntime() = default;
  Interface &interfaceOf(DeviceChoice choice) { return choice == DeviceChoice::OpenCl ? openCl_ : levelZero_; }
  Result<void> startLevelZero(DeviceChoice choice);
  Result<void> startOpenCl();
  Result<size_t> indexOf(std::string_view target, DeviceChoice choice);
  Result<std::unique_ptr<XeDevice>> opened(DeviceChoice choice, size_t index);

  Interface levelZero_, openCl_;
  ZeFunctions ze_;
  std::vector<ZeDeviceInfo> zeDevices_;
  ClFunctions cl_;
  std::vector<ClDeviceInfo> clDevices_;
};

} // namespace xt
