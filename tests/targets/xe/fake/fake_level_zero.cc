#include "tests/targets/xe/fake/fake_level_zero.h"

namespace xt::test {
namespace {

FakeLevelZero &fake() { return *FakeLevelZero::current; }

// Lets a call fail if the test wants it to; otherwise the call continues with the code below.
#define XT_ENTER(name)                                                                                                         \
  if (ze_result_t entered = fake().enter(#name); entered != ZE_RESULT_SUCCESS) return entered

template <class T> ze_result_t one(uint32_t *count, T *out, T handle) {
  if (out && *count > 0) out[0] = handle;
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t zelLoaderTranslateHandle(zel_handle_type_t, void *in, void **out) {
  *out = fake().wrapsHandles ? &fake().failWith : in;
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeInit(ze_init_flags_t) {
  XT_ENTER(zeInit);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeInitDrivers(uint32_t *count, ze_driver_handle_t *out, InitDriversDesc *desc) {
  XT_ENTER(zeInitDrivers);
  if (!fake().driverKnowsInitDrivers || !(desc->flags & kInitGpuDrivers)) return ZE_RESULT_ERROR_UNINITIALIZED;
  return one(count, out, reinterpret_cast<ze_driver_handle_t>(&fake()));
}
ze_result_t zeDeviceGetCompilerInfo(ze_device_handle_t, uint32_t what, const void *, size_t *bytes, void *data) {
  if (what != kSpirvExtensions) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
  auto *out = static_cast<char *>(data);
  for (const std::string &name : fake().spirvExtensions)
    if (out) std::strncpy(out, name.c_str(), ZE_MAX_EXTENSION_NAME), out += ZE_MAX_EXTENSION_NAME;
  *bytes = fake().spirvExtensions.size() * ZE_MAX_EXTENSION_NAME;
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeDriverGet(uint32_t *count, ze_driver_handle_t *out) {
  XT_ENTER(zeDriverGet);
  if (fake().brokenDriver) {
    if (out && *count == 2)
      out[0] = reinterpret_cast<ze_driver_handle_t>(&fake().brokenDriver),
      out[1] = reinterpret_cast<ze_driver_handle_t>(&fake());
    *count = 2;
    return ZE_RESULT_SUCCESS;
  }
  return one(count, out, reinterpret_cast<ze_driver_handle_t>(&fake()));
}
ze_result_t zeDriverGetApiVersion(ze_driver_handle_t, ze_api_version_t *version) {
  XT_ENTER(zeDriverGetApiVersion);
  *version = ZE_API_VERSION_1_4;
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeDriverGetProperties(ze_driver_handle_t, ze_driver_properties_t *p) {
  XT_ENTER(zeDriverGetProperties);
  p->driverVersion = 0x01030007;
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeDriverGetExtensionFunctionAddress(ze_driver_handle_t, const char *, void **) {
  return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}
ze_result_t zeDeviceGet(ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *out) {
  XT_ENTER(zeDeviceGet);
  if (driver == reinterpret_cast<ze_driver_handle_t>(&fake().brokenDriver)) return ZE_RESULT_ERROR_DEVICE_LOST;
  return one(count, out, reinterpret_cast<ze_device_handle_t>(&fake()));
}
ze_result_t zeDeviceGetProperties(ze_device_handle_t, ze_device_properties_t *p) {
  XT_ENTER(zeDeviceGetProperties);
  p->type = ZE_DEVICE_TYPE_GPU;
  p->vendorId = 0x8086;
  p->deviceId = fake().deviceId;
  p->timerResolution = 80;
  p->kernelTimestampValidBits = 32;
  std::strncpy(p->name, fake().deviceName.c_str(), sizeof p->name - 1);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeDeviceGetComputeProperties(ze_device_handle_t, ze_device_compute_properties_t *p) {
  XT_ENTER(zeDeviceGetComputeProperties);
  p->maxTotalGroupSize = p->maxGroupSizeX = 1024;
  p->maxGroupCountX = p->maxGroupCountY = p->maxGroupCountZ = 65535;
  p->maxSharedLocalMemory = 128 << 10;
  p->numSubGroupSizes = 2;
  p->subGroupSizes[0] = 16;
  p->subGroupSizes[1] = 32;
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeDeviceGetModuleProperties(ze_device_handle_t, ze_device_module_properties_t *p) {
  XT_ENTER(zeDeviceGetModuleProperties);
  p->flags = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_FP64;
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeDeviceGetMemoryProperties(ze_device_handle_t, uint32_t *count, ze_device_memory_properties_t *p) {
  XT_ENTER(zeDeviceGetMemoryProperties);
  if (p && *count > 0) p[0].totalSize = uint64_t{1} << 34;
  *count = 1;
  return ZE_RESULT_SUCCESS;
}
// The first queue group can only copy, and the second one runs kernels.
ze_result_t zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t, uint32_t *count,
                                                   ze_command_queue_group_properties_t *p) {
  XT_ENTER(zeDeviceGetCommandQueueGroupProperties);
  if (p && *count > 1) {
    p[0].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    p[1].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
  }
  *count = 2;
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeDeviceGetStatus(ze_device_handle_t) {
  XT_ENTER(zeDeviceGetStatus);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeContextCreate(ze_driver_handle_t, const ze_context_desc_t *, ze_context_handle_t *out) {
  XT_ENTER(zeContextCreate);
  fake().make(out);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeContextDestroy(ze_context_handle_t h) { return fake().free(h); }
ze_result_t zeCommandListCreateImmediate(ze_context_handle_t, ze_device_handle_t, const ze_command_queue_desc_t *desc,
                                         ze_command_list_handle_t *out) {
  XT_ENTER(zeCommandListCreateImmediate);
  if (desc->ordinal != 1) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  fake().make(out);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeCommandListDestroy(ze_command_list_handle_t h) { return fake().free(h); }
ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t, ze_event_handle_t, uint32_t, ze_event_handle_t *) {
  XT_ENTER(zeCommandListAppendBarrier);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeCommandListAppendLaunchKernel(ze_command_list_handle_t, ze_kernel_handle_t, const ze_group_count_t *groups,
                                            ze_event_handle_t, uint32_t, ze_event_handle_t *) {
  XT_ENTER(zeCommandListAppendLaunchKernel);
  fake().kernel(fake().arguments, *groups);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t, void *to, const void *from, size_t bytes, ze_event_handle_t,
                                          uint32_t, ze_event_handle_t *) {
  XT_ENTER(zeCommandListAppendMemoryCopy);
  std::memcpy(to, from, bytes);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeEventPoolCreate(ze_context_handle_t, const ze_event_pool_desc_t *, uint32_t, ze_device_handle_t *,
                              ze_event_pool_handle_t *out) {
  XT_ENTER(zeEventPoolCreate);
  fake().make(out);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeEventPoolDestroy(ze_event_pool_handle_t h) { return fake().free(h); }
ze_result_t zeEventCreate(ze_event_pool_handle_t, const ze_event_desc_t *, ze_event_handle_t *out) {
  XT_ENTER(zeEventCreate);
  fake().make(out);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeEventDestroy(ze_event_handle_t h) { return fake().free(h); }
ze_result_t zeEventHostReset(ze_event_handle_t) {
  XT_ENTER(zeEventHostReset);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeEventHostSynchronize(ze_event_handle_t, uint64_t) {
  XT_ENTER(zeEventHostSynchronize);
  return ZE_RESULT_SUCCESS;
}
// The 32-bit counter wraps around between the start and the end.
ze_result_t zeEventQueryKernelTimestamp(ze_event_handle_t, ze_kernel_timestamp_result_t *stamps) {
  XT_ENTER(zeEventQueryKernelTimestamp);
  stamps->global.kernelStart = 0xFFFFFFFF;
  stamps->global.kernelEnd = 9;
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeMemAllocDevice(ze_context_handle_t, const ze_device_mem_alloc_desc_t *, size_t bytes, size_t, ze_device_handle_t,
                             void **out) {
  XT_ENTER(zeMemAllocDevice);
  fake().make(out, bytes);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeMemAllocHost(ze_context_handle_t, const ze_host_mem_alloc_desc_t *, size_t bytes, size_t, void **out) {
  XT_ENTER(zeMemAllocHost);
  fake().make(out, bytes);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeMemGetAllocProperties(ze_context_handle_t, const void *, ze_memory_allocation_properties_t *properties,
                                    ze_device_handle_t *) {
  XT_ENTER(zeMemGetAllocProperties);
  properties->type = ZE_MEMORY_TYPE_UNKNOWN;
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeMemFree(ze_context_handle_t, void *memory) { return fake().free(memory); }
ze_result_t zeModuleCreate(ze_context_handle_t, ze_device_handle_t, const ze_module_desc_t *desc, ze_module_handle_t *out,
                           ze_module_build_log_handle_t *log) {
  fake().make(log);
  XT_ENTER(zeModuleCreate);
  ++fake().modulesBuilt;
  fake().buildFlags = desc->pBuildFlags;
  fake().make(out);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeModuleDestroy(ze_module_handle_t h) { return fake().free(h); }
ze_result_t zeModuleBuildLogGetString(ze_module_build_log_handle_t, size_t *bytes, char *text) {
  if (text) std::memcpy(text, fake().buildLog.c_str(), fake().buildLog.size() + 1);
  *bytes = fake().buildLog.size() + 1;
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeModuleBuildLogDestroy(ze_module_build_log_handle_t h) { return fake().free(h); }
ze_result_t zeKernelCreate(ze_module_handle_t, const ze_kernel_desc_t *, ze_kernel_handle_t *out) {
  XT_ENTER(zeKernelCreate);
  fake().make(out);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeKernelDestroy(ze_kernel_handle_t h) { return fake().free(h); }
ze_result_t zeKernelGetProperties(ze_kernel_handle_t, ze_kernel_properties_t *p) {
  XT_ENTER(zeKernelGetProperties);
  p->numKernelArgs = 3;
  p->requiredSubgroupSize = 16;
  p->spillMemSize = 64;
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeKernelSetArgumentValue(ze_kernel_handle_t, uint32_t index, size_t bytes, const void *value) {
  XT_ENTER(zeKernelSetArgumentValue);
  const auto *begin = static_cast<const std::byte *>(value);
  fake().arguments[index].assign(begin, begin + bytes);
  return ZE_RESULT_SUCCESS;
}
ze_result_t zeKernelSetGroupSize(ze_kernel_handle_t, uint32_t x, uint32_t, uint32_t) {
  XT_ENTER(zeKernelSetGroupSize);
  fake().groupSize = x;
  return ZE_RESULT_SUCCESS;
}
#undef XT_ENTER

} // namespace

ZeFunctions FakeLevelZero::table() {
  ZeFunctions functions;
#define X(name) functions.name = name;
  XT_ZE_FUNCTIONS(X)
#undef X
  return functions;
}

ZeFunctions FakeLevelZero::newerTable() {
  ZeFunctions functions = table();
  functions.zeInitDrivers = zeInitDrivers;
  functions.zeDeviceGetCompilerInfo = zeDeviceGetCompilerInfo;
  return functions;
}

} // namespace xt::test
