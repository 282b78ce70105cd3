// The driver, its devices and contexts.
#include "targets/soft/driver/checked.h"
#include "targets/soft/driver/objects.h"
#include "targets/soft/driver/report.h"
#include "targets/soft/driver/tables.h"

#include "targets/xe/init_drivers.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace xt::soft {
namespace {

constexpr uint32_t kVendor = 0x8086, kMostGroups = 0xffffffff;
constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

// The driver, created on first use with the settings of the environment; null if these name a device that does not exist.
Driver *madeDriver() {
  static Driver *only = []() -> Driver * {
    Result<std::vector<DeviceSettings>> settings = devicesFromEnvironment();
    if (settings) {
      auto *made = new Driver{std::move(*settings), {}};
      for (size_t i = 0; i < made->devices.size(); ++i) made->losses.push_back(std::make_shared<Losses>());
      return made;
    }
    report(settings.error().message);
    return nullptr;
  }();
  return only;
}

ze_driver_handle_t driverHandle() { return reinterpret_cast<ze_driver_handle_t>(madeDriver()); }

// Returns the single object of a kind in the style of Level Zero's lists.
template <class Handle> ze_result_t giveOne(uint32_t *count, Handle *handles, Handle one) {
  if (*count && handles) handles[0] = one;
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t giveNone(uint32_t *count) {
  *count = 0;
  return ZE_RESULT_SUCCESS;
}

void copyName(char *to, size_t room, const std::string &name) { std::snprintf(to, room, "%s", name.c_str()); }

uint64_t machineMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

ze_result_t start() { return madeDriver() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED; }

// Fails if the host requests only other processors than GPUs.
ze_result_t initialise(ze_init_flags_t flags) {
  XT_ZE_CHECK(checkFlags(flags, kInitFlags));
  return flags && !(flags & ZE_INIT_FLAG_GPU_ONLY) ? ZE_RESULT_ERROR_UNINITIALIZED : start();
}

ze_result_t getDrivers(uint32_t *count, ze_driver_handle_t *handles) {
  XT_ZE_CHECK(start());
  return giveOne(count, handles, driverHandle());
}

ze_result_t initDrivers(uint32_t *count, ze_driver_handle_t *handles, InitDriversDesc *desc) {
  if (!desc->flags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
  if (desc->flags != kInitAllDrivers) XT_ZE_CHECK(checkFlags(desc->flags, kInitGpuDrivers | kInitNpuDrivers));
  if (!(desc->flags & kInitGpuDrivers)) return ZE_RESULT_ERROR_UNINITIALIZED;
  return getDrivers(count, handles);
}

ze_result_t apiVersion(ze_driver_handle_t, ze_api_version_t *version) {
  *version = ZE_API_VERSION_1_4;
  return ZE_RESULT_SUCCESS;
}

ze_result_t driverProperties(ze_driver_handle_t, ze_driver_properties_t *properties) {
  std::memcpy(properties->uuid.id, "xt software xe 1", sizeof properties->uuid.id);
  properties->driverVersion = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ipcProperties(ze_driver_handle_t, ze_driver_ipc_properties_t *properties) {
  properties->flags = 0;
  return ZE_RESULT_SUCCESS;
}

ze_result_t extensions(ze_driver_handle_t, uint32_t *count, ze_driver_extension_properties_t *) { return giveNone(count); }

ze_result_t extensionFunction(ze_driver_handle_t, const char *name, void **function) {
  if (std::strcmp(name, "xtSoftLastError") == 0)
    *function = reinterpret_cast<void *>(&xtSoftLastError);
  else if (std::strcmp(name, "xtSoftBuffer") == 0)
    *function = reinterpret_cast<void *>(&xtSoftBuffer);
  else
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  return ZE_RESULT_SUCCESS;
}

ze_result_t lastErrorDescription(ze_driver_handle_t, const char **text) {
  *text = xtSoftLastError();
  return ZE_RESULT_SUCCESS;
}

ze_result_t getDevices(ze_driver_handle_t, uint32_t *count, ze_device_handle_t *handles) {
  std::vector<DeviceSettings> &devices = driver().devices;
  auto all = static_cast<uint32_t>(devices.size());
  *count = *count ? std::min(*count, all) : all;
  for (uint32_t i = 0; handles && i < *count; ++i) handles[i] = reinterpret_cast<ze_device_handle_t>(&devices[i]);
  return ZE_RESULT_SUCCESS;
}

ze_result_t subDevices(ze_device_handle_t, uint32_t *count, ze_device_handle_t *) { return giveNone(count); }

ze_result_t deviceProperties(ze_device_handle_t handle, ze_device_properties_t *p) {
  const DeviceSettings &device = *object(handle);
  bool perSecond = p->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
  p->type = ZE_DEVICE_TYPE_GPU;
  p->vendorId = kVendor;
  p->deviceId = device.deviceId;
  p->flags = 0;
  p->subdeviceId = 0;
  p->coreClockRate = device.clockMhz;
  p->maxMemAllocSize = largestAllocation();
  p->maxHardwareContexts = 1 << 16;
  p->maxCommandQueuePriority = 0;
  p->numThreadsPerEU = device.threadsPerEu;
  p->physicalEUSimdWidth = static_cast<uint32_t>(device.target->subgroupSizes[0]);
  p->numEUsPerSubslice = device.eusPerSubslice;
  p->numSubslicesPerSlice = device.subslicesPerSlice;
  p->numSlices = device.slices;
  p->timerResolution = perSecond ? kNanosecondsPerSecond : 1; // ticks per second, or nanoseconds per tick
  p->timestampValidBits = p->kernelTimestampValidBits = 64;
  std::memset(p->uuid.id, 0, sizeof p->uuid.id);
  std::memcpy(p->uuid.id, device.target->name.data(), std::min(device.target->name.size(), sizeof p->uuid.id));
  copyName(p->name, sizeof p->name, device.name);
  return ZE_RESULT_SUCCESS;
}

ze_result_t computeProperties(ze_device_handle_t handle, ze_device_compute_properties_t *p) {
  const TargetInfo &target = *object(handle)->target;
  p->maxTotalGroupSize = p->maxGroupSizeX = p->maxGroupSizeY = p->maxGroupSizeZ =
      static_cast<uint32_t>(target.lanesPerWorkgroup);
  p->maxGroupCountX = p->maxGroupCountY = p->maxGroupCountZ = kMostGroups;
  p->maxSharedLocalMemory = static_cast<uint32_t>(target.slmBytes);
  p->numSubGroupSizes = 0;
  for (int64_t size : target.subgroupSizes)
    if (p->numSubGroupSizes < ZE_SUBGROUPSIZE_COUNT) p->subGroupSizes[p->numSubGroupSizes++] = static_cast<uint32_t>(size);
  return ZE_RESULT_SUCCESS;
}

ze_result_t deviceModuleProperties(ze_device_handle_t handle, ze_device_module_properties_t *p) {
  bool f64 = object(handle)->target->f64;
  ze_device_fp_flags_t all =
      ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST | ZE_DEVICE_FP_FLAG_FMA;
  p->spirvVersionSupported = ZE_MAKE_VERSION(1, 4);
  p->flags = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS | (f64 ? ZE_DEVICE_MODULE_FLAG_FP64 : 0);
  p->fp16flags = p->fp32flags = all;
  p->fp64flags = f64 ? all : 0;
  p->maxArgumentsSize = 2048;
  p->printfBufferSize = 0;
  std::memset(&p->nativeKernelSupported, 0, sizeof p->nativeKernelSupported);
  return ZE_RESULT_SUCCESS;
}

ze_result_t queueGroups(ze_device_handle_t, uint32_t *count, ze_command_queue_group_properties_t *groups) {
  if (*count && groups) {
    groups[0].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    groups[0].maxMemoryFillPatternSize = kMostPatternBytes;
    groups[0].numQueues = kQueuesOfGroup;
  }
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t memoryProperties(ze_device_handle_t, uint32_t *count, ze_device_memory_properties_t *memories) {
  if (*count && memories) {
    memories[0].flags = 0;
    memories[0].maxClockRate = memories[0].maxBusWidth = 0;
    memories[0].totalSize = machineMemory();
    copyName(memories[0].name, sizeof memories[0].name, "memory of this machine");
  }
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t memoryAccess(ze_device_handle_t, ze_device_memory_access_properties_t *p) {
  p->hostAllocCapabilities = p->deviceAllocCapabilities = p->sharedSingleDeviceAllocCapabilities =
      ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT |
      ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;
  p->sharedCrossDeviceAllocCapabilities = p->sharedSystemAllocCapabilities = 0;
  return ZE_RESULT_SUCCESS;
}

ze_result_t cacheProperties(ze_device_handle_t, uint32_t *count, ze_device_cache_properties_t *) { return giveNone(count); }

ze_result_t peerProperties(ze_device_handle_t, ze_device_handle_t, ze_device_p2p_properties_t *p) {
  p->flags = 0;
  return ZE_RESULT_SUCCESS;
}

ze_result_t accessPeer(ze_device_handle_t one, ze_device_handle_t other, ze_bool_t *can) {
  *can = one == other;
  return ZE_RESULT_SUCCESS;
}

ze_result_t deviceStatus(ze_device_handle_t device) {
  return lossesOf(device)->any() ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

ze_result_t rootDevice(ze_device_handle_t, ze_device_handle_t *root) {
  *root = nullptr; // it is a root device itself
  return ZE_RESULT_SUCCESS;
}

ze_result_t timestamps(ze_device_handle_t, uint64_t *host, uint64_t *device) {
  *host = *device = deviceClock();
  return ZE_RESULT_SUCCESS;
}

ze_result_t createContext(ze_driver_handle_t, const ze_context_desc_t *desc, ze_context_handle_t *context) {
  XT_ZE_CHECK(checkFlags(desc->flags, kContextFlags));
  *context = reinterpret_cast<ze_context_handle_t>(new Context{std::make_shared<Losses>()});
  return ZE_RESULT_SUCCESS;
}

ze_result_t createContextFor(ze_driver_handle_t one, const ze_context_desc_t *desc, uint32_t count, ze_device_handle_t *devices,
                             ze_context_handle_t *context) {
  XT_ZE_CHECK(checkHandles(count, devices));
  return createContext(one, desc, context);
}

ze_result_t destroyContext(ze_context_handle_t context) {
  delete object(context);
  return ZE_RESULT_SUCCESS;
}

ze_result_t contextStatus(ze_context_handle_t context) {
  return object(context)->losses->any() ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}
ze_result_t systemBarrier(ze_context_handle_t, ze_device_handle_t) { return ZE_RESULT_SUCCESS; }

ze_result_t makeResident(ze_context_handle_t, ze_device_handle_t, void *pointer, size_t) {
  return DeviceMemory::instance().find(pointer) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}
ze_result_t evict(ze_context_handle_t, ze_device_handle_t, void *, size_t) { return ZE_RESULT_SUCCESS; }

} // namespace

Driver &driver() { return *madeDriver(); }

std::shared_ptr<Losses> lossesOf(ze_device_handle_t handle) {
  Driver &all = driver();
  return all.losses[static_cast<size_t>(object(handle) - all.devices.data())];
}

uint64_t largestAllocation() { return machineMemory() / 2; }

ze_result_t waited(WaitResult result) {
  switch (result) {
  case WaitResult::Done: return ZE_RESULT_SUCCESS;
  case WaitResult::NotReady: return ZE_RESULT_NOT_READY;
  case WaitResult::Lost: return ZE_RESULT_ERROR_DEVICE_LOST;
  }
  return ZE_RESULT_ERROR_UNKNOWN;
}

void fillNewer(std::span<AnyFunction> slots, const ze_global_dditable_t *) { slots[1] = any(checked<initDrivers, 1>); }
void fillNewer(std::span<AnyFunction> slots, const ze_driver_dditable_t *) { slots[6] = any(checked<lastErrorDescription>); }
void fillNewer(std::span<AnyFunction> slots, const ze_device_dditable_t *) { slots[18] = any(checked<rootDevice>); }

void fill(ze_global_dditable_t &table) { table.pfnInit = checked<initialise>; }

void fill(ze_driver_dditable_t &table) {
  table.pfnGet = checked<getDrivers, 1>;
  table.pfnGetApiVersion = checked<apiVersion>;
  table.pfnGetProperties = checked<driverProperties>;
  table.pfnGetIpcProperties = checked<ipcProperties>;
  table.pfnGetExtensionProperties = checked<extensions, 2>;
  table.pfnGetExtensionFunctionAddress = checked<extensionFunction>;
}

void fill(ze_device_dditable_t &table) {
  table.pfnGet = checked<getDevices, 2>;
  table.pfnGetSubDevices = checked<subDevices, 2>;
  table.pfnGetProperties = checked<deviceProperties>;
  table.pfnGetComputeProperties = checked<computeProperties>;
  table.pfnGetModuleProperties = checked<deviceModuleProperties>;
  table.pfnGetCommandQueueGroupProperties = checked<queueGroups, 2>;
  table.pfnGetMemoryProperties = checked<memoryProperties, 2>;
  table.pfnGetMemoryAccessProperties = checked<memoryAccess>;
  table.pfnGetCacheProperties = checked<cacheProperties, 2>;
  table.pfnGetP2PProperties = checked<peerProperties>;
  table.pfnCanAccessPeer = checked<accessPeer>;
  table.pfnGetStatus = checked<deviceStatus>;
  table.pfnGetGlobalTimestamps = checked<timestamps>;
}

void fill(ze_context_dditable_t &table) {
  table.pfnCreate = checked<createContext>;
  table.pfnCreateEx = checked<createContextFor, 3>;
  table.pfnDestroy = checked<destroyContext>;
  table.pfnGetStatus = checked<contextStatus>;
  table.pfnSystemBarrier = checked<systemBarrier>;
  table.pfnMakeMemoryResident = checked<makeResident>;
  table.pfnEvictMemory = checked<evict>;
}

} // namespace xt::soft
