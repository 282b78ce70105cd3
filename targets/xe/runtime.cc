#include "targets/xe/runtime.h"

#include "ir/base/text.h"
#include "targets/xe/device_choice.h"

#include <cstdlib>
#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

namespace xt {
namespace {

constexpr const char *kDriversVariable = "ZE_ENABLE_ALT_DRIVERS";
// The drivers that are listed stand instead of those that the loader would look for.
constexpr const char *kIntelDriver = "libze_intel_gpu.so.1";

std::string programFolder() {
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  std::string path(program, length > 0 ? static_cast<size_t>(length) : 0);
  return path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
}

// Whether a GPU may be there: the loader lists its driver only then. With several drivers it wraps their handles, and
// Debian's loader gives that of a failed module's build log back unwrapped.
bool mayHaveGpu() {
  glob_t found{};
  bool node = glob("/dev/dri/renderD*", 0, nullptr, &found) == 0 && found.gl_pathc > 0;
  globfree(&found);
  if (!node) return false;
  void *driver = dlopen(kIntelDriver, RTLD_LAZY | RTLD_LOCAL);
  if (driver) dlclose(driver);
  return driver != nullptr;
}

} // namespace

std::string softDriverPath(const std::string &folder) {
  for (const char *place : {"/../lib/", "/lib/", "/"})
    if (std::string path = str(folder, place, kSoftDriver); access(path.c_str(), R_OK) == 0) return path;
  return "";
}

std::optional<std::string> driversFor(DeviceChoice choice, const std::string &given, const std::string &soft) {
  if (choice == DeviceChoice::Gpu || soft.empty()) return std::nullopt;
  if (!given.empty()) {
    if (given.find(kSoftDriver) != std::string::npos) return std::nullopt;
    return str(given, ",", soft);
  }
  return choice == DeviceChoice::Soft ? soft : str(kIntelDriver, ",", soft);
}

XeRuntime &XeRuntime::ofProcess() {
  // Never destroyed: when static objects are, the loader's and the drivers' may be gone already.
  static auto *runtime = new XeRuntime;
  return *runtime;
}

Result<void> XeRuntime::start(DeviceChoice choice) {
  const char *given = std::getenv(kDriversVariable);
  if (choice == DeviceChoice::Any && !mayHaveGpu()) choice = DeviceChoice::Soft;
  if (auto drivers = driversFor(choice, given ? given : "", softDriverPath(programFolder())))
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
