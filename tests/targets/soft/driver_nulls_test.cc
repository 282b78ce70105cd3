// Calls every function of the driver with each required argument null, without a validation layer in front.
#include "tests/targets/soft/driver_codes.h"

namespace xt::soft::test {
namespace {

#define NULLS(which, member, ...) nulls(#which "." #member, ze.which.table.member, __VA_ARGS__)

TEST_F(DriverCodes, nullsOfDriverAndDevice) {
  uint32_t count = 0;
  void *function = nullptr;
  ze_api_version_t version;
  InitDriversDesc init;
  init.flags = kInitAllDrivers;
  nulls("zeInitDrivers", initDrivers(), {1}, &count, nullptr, &init);
  NULLS(driver, pfnGet, {1}, &count, nullptr);
  NULLS(driver, pfnGetApiVersion, {}, driver, &version);
  ze_driver_properties_t driverProperties{};
  NULLS(driver, pfnGetProperties, {}, driver, &driverProperties);
  ze_driver_ipc_properties_t ipc{};
  NULLS(driver, pfnGetIpcProperties, {}, driver, &ipc);
  NULLS(driver, pfnGetExtensionProperties, {2}, driver, &count, nullptr);
  NULLS(driver, pfnGetExtensionFunctionAddress, {}, driver, "xtSoftLastError", &function);
  const char *text = nullptr;
  nulls("zeDriverGetLastErrorDescription", ze.driver.at<LastErrorDescription>(kLastErrorDescriptionSlot), {}, driver, &text);
  NULLS(device, pfnGet, {2}, driver, &count, nullptr);
  ze_device_handle_t root = device;
  nulls("zeDeviceGetRootDevice", ze.device.at<RootDevice>(kRootDeviceSlot), {}, device, &root);
  NULLS(device, pfnGetSubDevices, {2}, device, &count, nullptr);
  ze_device_properties_t properties{};
  NULLS(device, pfnGetProperties, {}, device, &properties);
  ze_device_compute_properties_t compute{};
  NULLS(device, pfnGetComputeProperties, {}, device, &compute);
  ze_device_module_properties_t modules{};
  NULLS(device, pfnGetModuleProperties, {}, device, &modules);
  NULLS(device, pfnGetCommandQueueGroupProperties, {2}, device, &count, nullptr);
  NULLS(device, pfnGetMemoryProperties, {2}, device, &count, nullptr);
  ze_device_memory_access_properties_t access{};
  NULLS(device, pfnGetMemoryAccessProperties, {}, device, &access);
  NULLS(device, pfnGetCacheProperties, {2}, device, &count, nullptr);
  ze_device_p2p_properties_t peers{};
  NULLS(device, pfnGetP2PProperties, {}, device, device, &peers);
  ze_bool_t can = 0;
  NULLS(device, pfnCanAccessPeer, {}, device, device, &can);
  NULLS(device, pfnGetStatus, {}, device);
  uint64_t host = 0, onDevice = 0;
  NULLS(device, pfnGetGlobalTimestamps, {}, device, &host, &onDevice);
}

TEST_F(DriverCodes, nullsOfContextAndMemory) {
  ze_context_handle_t made = nullptr;
  NULLS(context, pfnCreate, {}, driver, &contextDesc, &made);
  NULLS(context, pfnCreateEx, {3}, driver, &contextDesc, 0u, nullptr, &made);
  NULLS(context, pfnDestroy, {}, context);
  NULLS(context, pfnGetStatus, {}, context);
  NULLS(context, pfnSystemBarrier, {}, context, device);
  NULLS(context, pfnMakeMemoryResident, {}, context, device, memory, size_t{64});
  NULLS(context, pfnEvictMemory, {}, context, device, memory, size_t{64});
  void *pointer = nullptr;
  size_t size = 0;
  NULLS(memory, pfnAllocShared, {5}, context, &deviceMemory, &hostMemory, size_t{64}, size_t{64}, device, &pointer);
  NULLS(memory, pfnAllocDevice, {}, context, &deviceMemory, size_t{64}, size_t{64}, device, &pointer);
  NULLS(memory, pfnAllocHost, {}, context, &hostMemory, size_t{64}, size_t{64}, &pointer);
  NULLS(memory, pfnFree, {}, context, memory);
  NULLS(memory, pfnFreeExt, {}, context, &freeDesc, memory);
  ze_memory_allocation_properties_t properties{};
  NULLS(memory, pfnGetAllocProperties, {3}, context, memory, &properties, nullptr);
  NULLS(memory, pfnGetAddressRange, {2, 3}, context, memory, &pointer, &size);
}

TEST_F(DriverCodes, nullsOfQueuesAndLists) {
  ze_command_queue_handle_t newQueue = nullptr;
  ze_command_list_handle_t newList = nullptr;
  NULLS(queue, pfnCreate, {}, context, device, &queueDesc, &newQueue);
  NULLS(queue, pfnDestroy, {}, queue);
  NULLS(queue, pfnExecuteCommandLists, {3}, queue, 1u, &list, nullptr);
  NULLS(queue, pfnSynchronize, {}, queue, uint64_t{0});
  NULLS(list, pfnCreate, {}, context, device, &listDesc, &newList);
  NULLS(list, pfnCreateImmediate, {}, context, device, &queueDesc, &newList);
  NULLS(list, pfnDestroy, {}, list);
  NULLS(list, pfnClose, {}, list);
  NULLS(list, pfnReset, {}, list);
  nulls("zeCommandListHostSynchronize", ze.list.at<HostSynchronize>(kHostSynchronizeSlot), {}, immediate, uint64_t{0});
  auto *words = static_cast<uint64_t *>(memory);
  size_t size = 8;
  const void *range = memory;
  int four = 4;
  NULLS(list, pfnAppendWriteGlobalTimestamp, {2, 4}, list, words, event, 0u, nullptr);
  NULLS(list, pfnAppendBarrier, {1, 3}, list, event, 0u, nullptr);
  NULLS(list, pfnAppendMemoryRangesBarrier, {4, 6}, list, 1u, &size, &range, event, 0u, nullptr);
  NULLS(list, pfnAppendMemoryCopy, {4, 6}, list, memory, words + 8, size_t{8}, event, 0u, nullptr);
  NULLS(list, pfnAppendMemoryFill, {5, 7}, list, memory, &four, sizeof four, size_t{16}, event, 0u, nullptr);
  NULLS(list, pfnAppendMemoryPrefetch, {}, list, memory, size_t{8});
  NULLS(list, pfnAppendMemAdvise, {}, list, device, memory, size_t{8}, ZE_MEMORY_ADVICE_SET_READ_MOSTLY);
  NULLS(list, pfnAppendSignalEvent, {}, list, event);
  NULLS(list, pfnAppendWaitOnEvents, {}, list, 1u, &event);
  NULLS(list, pfnAppendEventReset, {}, list, event);
  NULLS(list, pfnAppendQueryKernelTimestamps, {4, 5, 7}, list, 1u, &event, memory, nullptr, event, 0u, nullptr);
  NULLS(list, pfnAppendLaunchKernel, {3, 5}, list, kernel, &groups, event, 0u, nullptr);
  NULLS(list, pfnAppendLaunchCooperativeKernel, {3, 5}, list, kernel, &groups, event, 0u, nullptr);
  NULLS(list, pfnAppendLaunchKernelIndirect, {3, 5}, list, kernel, static_cast<ze_group_count_t *>(memory), event, 0u, nullptr);
}

TEST_F(DriverCodes, nullsOfEventsModulesAndKernels) {
  ze_event_pool_handle_t newPool = nullptr;
  ze_event_handle_t newEvent = nullptr;
  ze_fence_handle_t newFence = nullptr;
  ze_kernel_timestamp_result_t times{};
  NULLS(pool, pfnCreate, {3}, context, &poolDesc, 0u, nullptr, &newPool);
  NULLS(pool, pfnDestroy, {}, pool);
  NULLS(event, pfnCreate, {}, pool, &eventDesc, &newEvent);
  NULLS(event, pfnDestroy, {}, event);
  NULLS(event, pfnHostSignal, {}, event);
  NULLS(event, pfnHostSynchronize, {}, event, uint64_t{0});
  NULLS(event, pfnQueryStatus, {}, event);
  NULLS(event, pfnHostReset, {}, event);
  NULLS(event, pfnQueryKernelTimestamp, {}, event, &times);
  NULLS(fence, pfnCreate, {}, queue, &fenceDesc, &newFence);
  NULLS(fence, pfnDestroy, {}, fence);
  NULLS(fence, pfnHostSynchronize, {}, fence, uint64_t{0});
  NULLS(fence, pfnQueryStatus, {}, fence);
  NULLS(fence, pfnReset, {}, fence);
  ze_module_handle_t newModule = nullptr;
  ze_kernel_handle_t newKernel = nullptr;
  uint32_t count = 0;
  size_t size = 0;
  ze_module_properties_t moduleProperties{};
  ze_kernel_properties_t kernelProperties{};
  NULLS(module, pfnCreate, {4}, context, device, &moduleDesc, &newModule, nullptr);
  NULLS(module, pfnDestroy, {}, module);
  NULLS(module, pfnDynamicLink, {2}, 1u, &module, nullptr);
  NULLS(module, pfnGetKernelNames, {2}, module, &count, nullptr);
  NULLS(module, pfnGetProperties, {}, module, &moduleProperties);
  NULLS(log, pfnDestroy, {}, log);
  NULLS(log, pfnGetString, {2}, log, &size, nullptr);
  uint32_t x = 0, y = 0, z = 0;
  ze_kernel_indirect_access_flags_t flags = 0;
  NULLS(kernel, pfnCreate, {}, module, &kernelDesc, &newKernel);
  NULLS(kernel, pfnDestroy, {}, kernel);
  NULLS(kernel, pfnSetGroupSize, {}, kernel, 16u, 1u, 1u);
  NULLS(kernel, pfnSuggestGroupSize, {}, kernel, 16u, 1u, 1u, &x, &y, &z);
  NULLS(kernel, pfnSuggestMaxCooperativeGroupCount, {}, kernel, &x);
  NULLS(kernel, pfnSetArgumentValue, {3}, kernel, 0u, sizeof memory, &memory);
  NULLS(kernel, pfnSetIndirectAccess, {}, kernel, 0u);
  NULLS(kernel, pfnGetIndirectAccess, {}, kernel, &flags);
  NULLS(kernel, pfnSetCacheConfig, {}, kernel, 0u);
  NULLS(kernel, pfnGetProperties, {}, kernel, &kernelProperties);
  NULLS(kernel, pfnGetName, {2}, kernel, &size, nullptr);
  NULLS(kernelExp, pfnSetGlobalOffsetExp, {}, kernel, 0u, 0u, 0u);
  moduleDesc.pInputModule = nullptr;
  EXPECT_EQ(ze.module.table.pfnCreate(context, device, &moduleDesc, &newModule, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
  kernelDesc.pKernelName = nullptr;
  EXPECT_EQ(ze.kernel.table.pfnCreate(module, &kernelDesc, &newKernel), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

} // namespace
} // namespace xt::soft::test
