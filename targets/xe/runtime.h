// The device interfaces of this process, Level Zero and OpenCL: each interface's loader, opened once, the devices that it
// lists, and those in use.
#pragma once
#include "targets/gpu/adopted_devices.h"
#include "targets/target.h"
#include "targets/xe/level_zero/device.h"
#include "targets/xe/opencl/device.h"

#include <mutex>

namespace xt {

// The software device's driver, which the build puts into the folder "lib" next to that of the programs.
inline constexpr const char *kSoftDriver = "libze_xt_soft.so";

// The path of this driver for a program in this folder, "/…/bin". It is searched in the folder "lib" next to that folder, in
// "lib" inside of it, and in the folder itself; "" if it is not found.
std::string softDriverPath(const std::string &programFolder);

// Whether this machine has an Intel GPU and a driver for it. The driver may still not support the GPU.
bool mayHaveIntelGpu();

// The parts of this machine that Intel's GPUs and the software device need or can use.
std::vector<MachinePart> xeMachineParts();

// The value that the variable ZE_ENABLE_ALT_DRIVERS must have for the loader to find the drivers of a choice. `given`: its
// current value ("": not set). `soft`: the path of the software device's driver ("": not found). nullopt: leave the variable
// unchanged. Two drivers are listed only if there may be a GPU, because the loader works less well with two
// (ZeDeviceInfo::wrapped).
std::optional<std::string> driversFor(DeviceChoice choice, const std::string &given, const std::string &soft, bool gpu);

// The environment variables that list OpenCL drivers: for Khronos' loader, and for Debian's.
inline constexpr const char *kClDriversVariables[] = {"OCL_ICD_FILENAMES", "OCL_ICD_VENDORS"};

// Returns the path of Intel's OpenCL driver for CPUs as installed by Python packages, which do not register it; "" if it is
// not found. It is searched in the folder "lib" of two virtual environments: the active one (`virtualEnvironment`; "": none is
// active), and the one that tests/run creates, build/opencl, for a program in this folder, "/…/build/release/bin".
std::string packagedClDriver(const std::string &virtualEnvironment, const std::string &programFolder);

// One object per process, because drivers are initialised once: for Level Zero, the first request determines which drivers are
// loaded. Devices stay open until the process ends. Thread-safe.
class XeRuntime {
public:
  static XeRuntime &ofProcess();

  // The devices of OpenCL for DeviceChoice::OpenCl, otherwise those of Level Zero. An Error of the environment if there is
  // no loader or no working driver.
  Result<std::span<const GpuDeviceInfo *const>> devices(DeviceChoice choice);
  // The device that chooseDevice selects; open() also opens it.
  Result<const GpuDeviceInfo *> choose(std::string_view target, DeviceChoice choice);
  Result<GpuDevice *> open(std::string_view target, DeviceChoice choice);
  // Opens a device that devices() has listed.
  Result<GpuDevice *> open(const GpuDeviceInfo &listed);
  // A Level Zero device of the caller; an Error if it does not run the target's code. adopt() makes one in the caller's context.
  Result<const GpuDeviceInfo *> described(std::string_view target, const NativeObjects &native);
  // Programs with the same objects share the device.
  Result<std::shared_ptr<GpuDevice>> adopt(std::string_view target, const NativeObjects &native);

private:
  struct Interface {
    std::optional<Result<void>> started;
    std::vector<const GpuDeviceInfo *> devices;
    std::vector<std::unique_ptr<GpuDevice>> open; // by device; null: not opened yet
  };

  XeRuntime() = default;
  Interface &interfaceOf(DeviceChoice choice) { return choice == DeviceChoice::OpenCl ? openCl_ : levelZero_; }
  Result<void> startLevelZero(DeviceChoice choice);
  Result<void> startOpenCl();
  Result<size_t> indexOf(std::string_view target, DeviceChoice choice);
  Result<GpuDevice *> openAt(DeviceChoice choice, size_t index);
  Result<std::unique_ptr<GpuDevice>> opened(DeviceChoice choice, size_t index);

  std::recursive_mutex mutex_;
  Interface levelZero_, openCl_;
  ZeFunctions ze_;
  std::vector<ZeDeviceInfo> zeDevices_;
  AdoptedDevices adopted_;
  ClFunctions cl_;
  std::vector<ClDeviceInfo> clDevices_;
};

} // namespace xt
