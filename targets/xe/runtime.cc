#include "targets/xe/runtime.h"

#include "ir/base/own_code.h"
#include "ir/base/shared_library.h"
#include "ir/base/text.h"
#include "targets/process/program_path.h"
#include "targets/xe/device/device_choice.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <unistd.h>

namespace xt {
namespace {

constexpr const char *kDriversVariable = "ZE_ENABLE_ALT_DRIVERS";
// The drivers in this variable replace those that the loader would find by itself, so it must name Intel's driver too.
constexpr const char *kIntelDriver = "libze_intel_gpu.so.1";
constexpr std::string_view kIntelVendor = "0x8086";

// Whether the device files of the operating system show an Intel GPU.
bool hasIntelGpu() {
  std::error_code none;
  // On the Windows Subsystem for Linux, this is the only file that shows a GPU.
  if (std::filesystem::exists("/dev/dxg", none)) return true;
  for (const auto &entry : std::filesystem::directory_iterator("/sys/class/drm", none)) {
    std::string vendor;
    std::ifstream(entry.path() / "device/vendor") >> vendor;
    if (entry.path().filename().string().starts_with("renderD") && vendor == kIntelVendor) return true;
  }
  return false;
}

} // namespace

std::string softDriverPath(const std::string &folder) {
  for (const char *place : {"/../lib/", "/lib/", "/"})
    if (std::string path = str(folder, place, kSoftDriver); access(path.c_str(), R_OK) == 0) return path;
  return "";
}

bool mayHaveIntelGpu() { return hasIntelGpu() && whyNotOpened(kIntelDriver).empty(); }

namespace {

MachinePart libraryPart(std::string what, const char *library, bool needed, std::string remedy) {
  std::string why = whyNotOpened(library);
  return {std::move(what), why.empty(), needed, why.empty() ? library : why, std::move(remedy)};
}

} // namespace

std::vector<MachinePart> xeMachineParts() {
  bool gpu = hasIntelGpu();
  std::vector<MachinePart> all;
  all.push_back({"an Intel GPU", gpu, false, gpu ? "found" : "no render device of an Intel GPU is under /sys/class/drm",
                 "the software device is used instead; a GPU appears once the kernel driver i915 or xe is loaded"});
  if (gpu)
    all.push_back(libraryPart("Intel's Level Zero driver", kIntelDriver, true,
                              "install Debian's package intel-opencl-icd, or libze-intel-gpu1 if the distribution has it"));
  all.push_back(libraryPart("the Level Zero loader", kZeLoader, true, "install Debian's package libze1"));
  std::string soft = softDriverPath(ownCodeFolder()), reader = programInPath("llvm-spirv-15");
  all.push_back({"the software device's driver", !soft.empty(), !gpu,
                 soft.empty() ? str("no ", kSoftDriver, " next to the programs") : soft,
                 "build the target ze_xt_soft; it needs LLVM and Debian's package libze-dev"});
  all.push_back({"the software device's reader of SPIR-V", !reader.empty(), !gpu,
                 reader.empty() ? "no program llvm-spirv-15 in PATH" : reader, "install Debian's package llvm-spirv-15"});
  for (const auto &[program, package, use] :
       {std::tuple("ocloc", "intel-opencl-icd", "--emit=isa"), std::tuple("spirv-dis", "spirv-tools", "--emit=spvasm")}) {
    std::string path = programInPath(program);
    all.push_back({str("the program ", program, " (for xtc ", use, ")"), !path.empty(), false,
                   path.empty() ? "not in PATH" : path, str("install Debian's package ", package)});
  }
  return all;
}

std::optional<std::string> driversFor(DeviceChoice choice, const std::string &given, const std::string &soft, bool gpu) {
  if (choice == DeviceChoice::Gpu || soft.empty()) return std::nullopt;
  if (!given.empty()) {
    if (given.find(kSoftDriver) != std::string::npos) return std::nullopt;
    return str(given, ",", soft);
  }
  return choice == DeviceChoice::Soft || !gpu ? soft : str(kIntelDriver, ",", soft);
}

std::string packagedClDriver(const std::string &virtualEnvironment, const std::string &folder) {
  for (const std::string &environment : {virtualEnvironment, folder.empty() ? "" : folder + "/../../opencl"}) {
    std::string path = environment + "/lib/libintelocl.so";
    if (!environment.empty() && access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

XeRuntime &XeRuntime::ofProcess() {
  // Never destroyed: when static objects are destroyed, the loader and the drivers may already be unloaded.
  static auto *runtime = new XeRuntime;
  return *runtime;
}

Result<void> XeRuntime::startLevelZero(DeviceChoice choice) {
  const char *given = std::getenv(kDriversVariable);
  if (auto drivers = driversFor(choice, given ? given : "", softDriverPath(ownCodeFolder()), mayHaveIntelGpu()))
    setenv(kDriversVariable, drivers->c_str(), 1);
  Result<ZeFunctions> functions = openZeLoader();
  if (!functions) return functions.error();
  ze_ = *functions;
  Result<std::vector<ZeDeviceInfo>> devices = listZeDevices(ze_);
  if (!devices) return devices.error();
  zeDevices_ = std::move(*devices);
  for (const ZeDeviceInfo &info : zeDevices_) levelZero_.devices.push_back(&info);
  return {};
}

Result<void> XeRuntime::startOpenCl() {
  std::string driver;
  if (std::ranges::none_of(kClDriversVariables, [](const char *name) { return std::getenv(name); })) {
    const char *environment = std::getenv("VIRTUAL_ENV");
    driver = packagedClDriver(environment ? environment : "", ownCodeFolder());
    if (!driver.empty())
      for (const char *name : kClDriversVariables) setenv(name, driver.c_str(), 1);
  }
  Result<ClFunctions> functions = openClLoader(driver);
  if (!functions) return functions.error();
  cl_ = *functions;
  Result<std::vector<ClDeviceInfo>> devices = listClDevices(cl_);
  if (!devices) return devices.error();
  clDevices_ = std::move(*devices);
  for (const ClDeviceInfo &info : clDevices_) openCl_.devices.push_back(&info);
  return {};
}

Result<std::span<const GpuDeviceInfo *const>> XeRuntime::devices(DeviceChoice choice) {
  std::lock_guard lock(mutex_);
  Interface &interface = interfaceOf(choice);
  if (!interface.started) {
    interface.started = choice == DeviceChoice::OpenCl ? startOpenCl() : startLevelZero(choice);
    interface.open.resize(interface.devices.size());
  }
  if (!*interface.started) return interface.started->error();
  return std::span<const GpuDeviceInfo *const>(interface.devices);
}

Result<size_t> XeRuntime::indexOf(std::string_view target, DeviceChoice choice) {
  auto all = devices(choice);
  if (!all) return all.error();
  return chooseDevice(*all, target, choice);
}

Result<const GpuDeviceInfo *> XeRuntime::choose(std::string_view target, DeviceChoice choice) {
  Result<size_t> index = indexOf(target, choice);
  if (!index) return index.error();
  return interfaceOf(choice).devices[*index];
}

Result<std::unique_ptr<GpuDevice>> XeRuntime::opened(DeviceChoice choice, size_t index) {
  if (choice == DeviceChoice::OpenCl) {
    Result<std::unique_ptr<ClDevice>> device = ClDevice::open(cl_, clDevices_[index]);
    if (!device) return device.error();
    return std::unique_ptr<GpuDevice>(std::move(*device));
  }
  Result<std::unique_ptr<ZeDevice>> device = ZeDevice::open(ze_, zeDevices_[index]);
  if (!device) return device.error();
  return std::unique_ptr<GpuDevice>(std::move(*device));
}

Result<const GpuDeviceInfo *> XeRuntime::described(std::string_view target, const NativeObjects &native) {
  if (auto started = devices(DeviceChoice::Gpu); !started) return started.error();
  auto info = zeDeviceOf(zeDevices_, static_cast<ze_device_handle_t>(native.device), target);
  if (!info) return info.error();
  return static_cast<const GpuDeviceInfo *>(*info);
}

Result<std::shared_ptr<GpuDevice>> XeRuntime::adopt(std::string_view target, const NativeObjects &native) {
  std::lock_guard lock(mutex_);
  Result<const GpuDeviceInfo *> info = described(target, native);
  if (!info) return info.error();
  return adopted_.get(native, [&] {
    return ZeDevice::adopt(ze_, static_cast<const ZeDeviceInfo &>(**info), static_cast<ze_context_handle_t>(native.context),
                           static_cast<ze_command_list_handle_t>(native.queue));
  });
}

Result<GpuDevice *> XeRuntime::open(std::string_view target, DeviceChoice choice) {
  std::lock_guard lock(mutex_);
  Result<size_t> index = indexOf(target, choice);
  if (!index) return index.error();
  return openAt(choice, *index);
}

Result<GpuDevice *> XeRuntime::open(const GpuDeviceInfo &listed) {
  std::lock_guard lock(mutex_);
  for (DeviceChoice choice : {DeviceChoice::Any, DeviceChoice::OpenCl}) {
    const std::vector<const GpuDeviceInfo *> &all = interfaceOf(choice).devices;
    if (auto found = std::ranges::find(all, &listed); found != all.end())
      return openAt(choice, static_cast<size_t>(found - all.begin()));
  }
  return Error::environment(str(listed.name, " is not among the listed devices"));
}

Result<GpuDevice *> XeRuntime::openAt(DeviceChoice choice, size_t index) {
  std::unique_ptr<GpuDevice> &device = interfaceOf(choice).open[index];
  if (!device) {
    Result<std::unique_ptr<GpuDevice>> made = opened(choice, index);
    if (!made) return made.error();
    device = std::move(*made);
  }
  return device.get();
}

} // namespace xt
