#include "targets/xe/runtime.h"

#include "ir/base/text.h"
#include "targets/xe/device_choice.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace xt {
namespace {

constexpr const char *kDriversVariable = "ZE_ENABLE_ALT_DRIVERS";
// The drivers that are listed stand instead of those that the loader would look for.
constexpr const char *kIntelDriver = "libze_intel_gpu.so.1";
constexpr std::string_view kIntelVendor = "0x8086";

std::string programFolder() {
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  std::string path(program, length > 0 ? static_cast<size_t>(length) : 0);
  return path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
}

// As the files of the operating system's kernel say.
bool hasIntelGpu() {
  std::error_code none;
  // Windows' subsystem for Linux has no files about GPUs but this one.
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

bool mayHaveIntelGpu() {
  if (!hasIntelGpu()) return false;
  void *driver = dlopen(kIntelDriver, RTLD_LAZY | RTLD_LOCAL);
  if (driver) dlclose(driver);
  return driver != nullptr;
}

std::optional<std::string> driversFor(DeviceChoice choice, const std::string &given, const std::string &soft, bool gpu) {
  if (choice == DeviceChoice::Gpu || soft.empty()) return std::nullopt;
  if (!given.empty()) {
    if (given.find(kSoftDriver) != std::string::npos) return std::nullopt;
    return str(given, ",", soft);
  }
  return choice == DeviceChoice::Soft || !gpu ? soft : str(kIntelDriver, ",", soft);
}

XeRuntime &XeRuntime::ofProcess() {
  // Never destroyed: when static objects are, the loader's and the drivers' may be gone already.
  static auto *runtime = new XeRuntime;
  return *runtime;
}

Result<void> XeRuntime::start(DeviceChoice choice) {
  const char *given = std::getenv(kDriversVariable);
  if (auto drivers = driversFor(choice, given ? given : "", softDriverPath(programFolder()), mayHaveIntelGpu()))
    setenv(kDriversVariable, drivers->c_str(), 1);
  Result<ZeFunctions> functions = openZeLoader();
  if (!functions) return functions.error();
  functions_ = *functions;
  Result<std::vector<ZeDeviceInfo>> devices = listZeDevices(functions_);
  if (!devices) return devices.error();
  devices_ = std::move(*devices);
  open_.resize(devices_.size());
  return {};
}

Result<std::span<const ZeDeviceInfo>> XeRuntime::devices(DeviceChoice choice) {
  if (!started_) started_ = start(choice);
  if (!*started_) return started_->error();
  return std::span<const ZeDeviceInfo>(devices_);
}

Result<const ZeDeviceInfo *> XeRuntime::choose(std::string_view target, DeviceChoice choice) {
  auto all = devices(choice);
  if (!all) return all.error();
  Result<size_t> index = chooseDevice(*all, target, choice);
  if (!index) return index.error();
  return &(*all)[*index];
}

Result<ZeDevice *> XeRuntime::open(std::string_view target, DeviceChoice choice) {
  Result<const ZeDeviceInfo *> info = choose(target, choice);
  if (!info) return info.error();
  std::unique_ptr<ZeDevice> &device = open_[static_cast<size_t>(*info - devices_.data())];
  if (!device) {
    Result<std::unique_ptr<ZeDevice>> opened = ZeDevice::open(functions_, **info);
    if (!opened) return opened.error();
    device = std::move(*opened);
  }
  return device.get();
}

} // namespace xt
