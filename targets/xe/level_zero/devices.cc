#include "targets/xe/level_zero/devices.h"

#include "ir/base/text.h"
#include "targets/xe/device/device_choice.h"
#include "targets/xe/device/pci_ids.h"
#include "targets/xe/library/raw_send.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace xt {
namespace {

constexpr uint32_t kIntel = 0x8086;

std::string versionText(uint32_t version) { return str(version >> 24, ".", (version >> 16) & 0xff, ".", version & 0xffff); }

// Queries the properties of one device. A failing call is an Error with the name of the call.
class DeviceQuery {
public:
  DeviceQuery(const ZeFunctions &ze, ZeDeviceInfo &info) : ze_(ze), info_(info) {}

  Result<void> ask() {
    if (auto done = properties(); !done) return done;
    if (auto done = compute(); !done) return done;
    if (auto done = module(); !done) return done;
    if (auto done = memory(); !done) return done;
    return queues();
  }

private:
  Result<void> properties() {
    ze_device_properties_t p{};
    p.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    if (ze_result_t r = ze_.zeDeviceGetProperties(info_.device, &p); r != ZE_RESULT_SUCCESS)
      return zeError("zeDeviceGetProperties", r);
    info_.name.assign(p.name, strnlen(p.name, sizeof p.name));
    info_.software = info_.name.starts_with(kSoftwareDeviceName);
    info_.hardware = p.vendorId == kIntel && p.type == ZE_DEVICE_TYPE_GPU && !info_.software;
    info_.target = p.vendorId == kIntel ? targetOfPciId(p.deviceId) : findTargetInfo("spirv");
    info_.cooperativeMatrices = hasCooperativeMatrices(*info_.target);
    info_.memoryBytes = static_cast<int64_t>(p.maxMemAllocSize);
    info_.tickNanoseconds = static_cast<double>(p.timerResolution);
    info_.timestampBits = static_cast<int>(p.kernelTimestampValidBits);
    return {};
  }

  Result<void> compute() {
    ze_device_compute_properties_t p{};
    p.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
    if (ze_result_t r = ze_.zeDeviceGetComputeProperties(info_.device, &p); r != ZE_RESULT_SUCCESS)
      return zeError("zeDeviceGetComputeProperties", r);
    uint32_t sizes = std::min<uint32_t>(p.numSubGroupSizes, ZE_SUBGROUPSIZE_COUNT);
    info_.subgroupSizes.assign(p.subGroupSizes, p.subGroupSizes + sizes);
    info_.slmBytes = p.maxSharedLocalMemory;
    info_.lanesPerWorkgroup = std::min(p.maxTotalGroupSize, p.maxGroupSizeX);
    info_.mostWorkgroups = {p.maxGroupCountX, p.maxGroupCountY, p.maxGroupCountZ};
    return {};
  }

  Result<void> module() {
    ze_device_module_properties_t p{};
    p.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES;
    if (ze_result_t r = ze_.zeDeviceGetModuleProperties(info_.device, &p); r != ZE_RESULT_SUCCESS)
      return zeError("zeDeviceGetModuleProperties", r);
    info_.f64 = (p.flags & ZE_DEVICE_MODULE_FLAG_FP64) != 0;
    info_.listsInlineAssembly = lists(kInlineAssemblyExtension);
    return {};
  }

  // Whether the driver lists an extension of SPIR-V; false also if it has no such list.
  bool lists(std::string_view extension) const {
    size_t bytes = 0;
    auto get = [&](void *data) {
      return ze_.zeDeviceGetCompilerInfo(info_.device, kSpirvExtensions, nullptr, &bytes, data) == ZE_RESULT_SUCCESS;
    };
    if (!ze_.zeDeviceGetCompilerInfo || !get(nullptr)) return false;
    std::vector<char> names(bytes);
    if (names.empty() || !get(names.data())) return false;
    names.resize(std::min(bytes, names.size()));
    for (size_t at = 0; at + ZE_MAX_EXTENSION_NAME <= names.size(); at += ZE_MAX_EXTENSION_NAME)
      if (extension == std::string_view(&names[at], strnlen(&names[at], ZE_MAX_EXTENSION_NAME))) return true;
    return false;
  }

  Result<void> memory() {
    uint32_t count = 0;
    if (ze_result_t r = ze_.zeDeviceGetMemoryProperties(info_.device, &count, nullptr); r != ZE_RESULT_SUCCESS)
      return zeError("zeDeviceGetMemoryProperties", r);
    std::vector<ze_device_memory_properties_t> all(count);
    for (auto &p : all) p = {}, p.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
    if (ze_result_t r = ze_.zeDeviceGetMemoryProperties(info_.device, &count, all.data()); count && r != ZE_RESULT_SUCCESS)
      return zeError("zeDeviceGetMemoryProperties", r);
    int64_t total = 0;
    for (const auto &p : all) total += static_cast<int64_t>(p.totalSize);
    if (total > 0) info_.memoryBytes = total;
    return {};
  }

  Result<void> queues() {
    uint32_t count = 0;
    if (ze_result_t r = ze_.zeDeviceGetCommandQueueGroupProperties(info_.device, &count, nullptr); r != ZE_RESULT_SUCCESS)
      return zeError("zeDeviceGetCommandQueueGroupProperties", r);
    std::vector<ze_command_queue_group_properties_t> all(count);
    for (auto &p : all) p = {}, p.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    if (ze_result_t r = ze_.zeDeviceGetCommandQueueGroupProperties(info_.device, &count, all.data());
        count && r != ZE_RESULT_SUCCESS)
      return zeError("zeDeviceGetCommandQueueGroupProperties", r);
    for (uint32_t i = 0; i < count; ++i) {
      if (!(all[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE)) continue;
      info_.queueOrdinal = i;
      return {};
    }
    return Error::environment(str("the device `", info_.name, "` has no queue that runs kernels"));
  }

  const ZeFunctions &ze_;
  ZeDeviceInfo &info_;
};

// Calls a function that fills a list of drivers: first for their number, then for the list. Sets `none` to whether it reported
// that there are no drivers.
template <class Call> Result<std::vector<ze_driver_handle_t>> askForDrivers(std::string_view name, Call call, bool &none) {
  uint32_t count = 0;
  ze_result_t r = call(&count, nullptr);
  none = r == ZE_RESULT_ERROR_UNINITIALIZED || (r == ZE_RESULT_SUCCESS && count == 0);
  if (none) return std::vector<ze_driver_handle_t>{};
  if (r != ZE_RESULT_SUCCESS) return zeError(name, r);
  std::vector<ze_driver_handle_t> drivers(count);
  if (r = call(&count, drivers.data()); r != ZE_RESULT_SUCCESS) return zeError(name, r);
  drivers.resize(count);
  return drivers;
}

// Current loaders are initialised by zeInitDrivers. If no driver supports it, or the loader does not, zeInit and zeDriverGet
// are used. The two ways must not be mixed, so the second is tried only if the first finds no driver.
Result<std::vector<ze_driver_handle_t>> listDrivers(const ZeFunctions &ze) {
  bool none = true;
  if (ze.zeInitDrivers) {
    InitDriversDesc desc;
    desc.flags = kInitGpuDrivers;
    auto call = [&](uint32_t *count, ze_driver_handle_t *out) { return ze.zeInitDrivers(count, out, &desc); };
    auto found = askForDrivers("zeInitDrivers", call, none);
    if (!found || !none) return found;
  }
  ze_result_t started = ze.zeInit(0);
  // No driver has a device. No other function may be called then, because the loader has no table for calls.
  if (started == ZE_RESULT_ERROR_UNINITIALIZED) return std::vector<ze_driver_handle_t>{};
  if (started != ZE_RESULT_SUCCESS) return zeError("zeInit", started);
  return askForDrivers("zeDriverGet", ze.zeDriverGet, none);
}

Result<std::vector<ze_device_handle_t>> listDevices(const ZeFunctions &ze, ze_driver_handle_t driver) {
  uint32_t count = 0;
  if (ze_result_t r = ze.zeDeviceGet(driver, &count, nullptr); r != ZE_RESULT_SUCCESS) return zeError("zeDeviceGet", r);
  std::vector<ze_device_handle_t> devices(count);
  if (ze_result_t r = ze.zeDeviceGet(driver, &count, devices.data()); count && r != ZE_RESULT_SUCCESS)
    return zeError("zeDeviceGet", r);
  devices.resize(count);
  return devices;
}

bool isWrapped(const ZeFunctions &ze, ze_driver_handle_t driver) {
  void *inner = driver;
  return ze.zelLoaderTranslateHandle(ZEL_HANDLE_DRIVER, driver, &inner) == ZE_RESULT_SUCCESS && inner != driver;
}

Result<std::vector<ZeDeviceInfo>> devicesOf(const ZeFunctions &ze, ze_driver_handle_t driver) {
  ze_driver_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES;
  if (ze_result_t r = ze.zeDriverGetProperties(driver, &properties); r != ZE_RESULT_SUCCESS)
    return zeError("zeDriverGetProperties", r);
  Result<std::vector<ze_device_handle_t>> devices = listDevices(ze, driver);
  if (!devices) return devices.error();
  std::vector<ZeDeviceInfo> infos;
  for (ze_device_handle_t device : *devices) {
    ZeDeviceInfo info;
    info.driver = driver;
    info.device = device;
    info.wrapped = isWrapped(ze, driver);
    info.driverVersion = versionText(properties.driverVersion);
    if (Result<void> asked = DeviceQuery(ze, info).ask(); !asked) info.problem = asked.error().message;
    infos.push_back(std::move(info));
  }
  return infos;
}

} // namespace

Result<std::vector<ZeDeviceInfo>> listZeDevices(const ZeFunctions &ze) {
  Result<std::vector<ze_driver_handle_t>> drivers = listDrivers(ze);
  if (!drivers) return drivers.error();
  std::vector<ZeDeviceInfo> infos;
  for (ze_driver_handle_t driver : *drivers) {
    Result<std::vector<ZeDeviceInfo>> devices = devicesOf(ze, driver);
    if (devices) {
      std::ranges::move(*devices, std::back_inserter(infos));
      continue;
    }
    ZeDeviceInfo info; // the other drivers may work
    info.name = "a driver";
    info.problem = devices.error().message;
    infos.push_back(std::move(info));
  }
  return infos;
}

Result<const ZeDeviceInfo *> zeDeviceOf(std::span<const ZeDeviceInfo> devices, ze_device_handle_t handle,
                                        std::string_view target) {
  auto found = std::ranges::find(devices, handle, &ZeDeviceInfo::device);
  if (found == devices.end()) return Error::environment("the device is none of those that Level Zero's drivers list");
  if (!found->problem.empty()) return Error::environment(str(found->name, " cannot be used: ", found->problem));
  if (!runsOn(*found, target)) return Error::environment(str(found->name, " does not run code for ", target));
  return &*found;
}

} // namespace xt
