// Tests the driver's result codes for calls that the specification defines as errors, except null arguments.
#include "tests/targets/soft/driver_codes.h"

namespace xt::soft::test {
namespace {

constexpr auto kAddressNotFound = static_cast<ze_result_t>(0x78000021);

TEST_F(DriverCodes, bothWaysToInitialise) {
  EXPECT_EQ(ze.global.table.pfnInit(0), ZE_RESULT_SUCCESS);
  EXPECT_EQ(ze.global.table.pfnInit(ZE_INIT_FLAG_GPU_ONLY), ZE_RESULT_SUCCESS);
  EXPECT_EQ(ze.global.table.pfnInit(2), ZE_RESULT_ERROR_UNINITIALIZED); // the flags select only processors that do not exist
  EXPECT_EQ(ze.global.table.pfnInit(4), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  uint32_t count = 0;
  InitDriversDesc desc;
  auto init = [&](uint32_t flags, uint32_t wanted, ze_driver_handle_t *out) {
    desc.flags = flags;
    count = wanted;
    return initDrivers()(&count, out, &desc);
  };
  EXPECT_EQ(init(0, 0, nullptr), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  EXPECT_EQ(init(8, 0, nullptr), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  EXPECT_EQ(init(kInitNpuDrivers, 0, nullptr), ZE_RESULT_ERROR_UNINITIALIZED);
  ze_driver_handle_t viaGet = nullptr, viaInit[2] = {};
  for (uint32_t flags : {kInitGpuDrivers, kInitGpuDrivers | kInitNpuDrivers, kInitAllDrivers}) {
    EXPECT_EQ(init(flags, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(init(flags, 2, viaInit), ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(viaInit[1], nullptr);
  }
  count = 1;
  EXPECT_EQ(ze.driver.table.pfnGet(&count, &viaGet), ZE_RESULT_SUCCESS);
  EXPECT_EQ(viaGet, viaInit[0]);
}

TEST_F(DriverCodes, unknownFlagsAndNumbers) {
  ze_context_handle_t newContext = nullptr;
  contextDesc.flags = 2;
  EXPECT_EQ(ze.context.table.pfnCreate(driver, &contextDesc, &newContext), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  contextDesc.flags = 0;
  EXPECT_EQ(ze.context.table.pfnCreateEx(driver, &contextDesc, 1, nullptr, &newContext), ZE_RESULT_ERROR_INVALID_SIZE);
  ze_command_queue_handle_t newQueue = nullptr;
  ze_command_list_handle_t newList = nullptr;
  auto queueWith = [&](auto member, auto value, ze_result_t wanted) {
    ze_command_queue_desc_t desc = queueDesc;
    desc.*member = static_cast<std::remove_reference_t<decltype(desc.*member)>>(value);
    EXPECT_EQ(ze.queue.table.pfnCreate(context, device, &desc, &newQueue), wanted);
    EXPECT_EQ(ze.list.table.pfnCreateImmediate(context, device, &desc, &newList), wanted);
  };
  queueWith(&ze_command_queue_desc_t::ordinal, 1, ZE_RESULT_ERROR_INVALID_ARGUMENT);
  queueWith(&ze_command_queue_desc_t::ordinal, UINT32_MAX, ZE_RESULT_ERROR_INVALID_ARGUMENT);
  queueWith(&ze_command_queue_desc_t::index, 1, ZE_RESULT_ERROR_INVALID_ARGUMENT);
  queueWith(&ze_command_queue_desc_t::flags, 8, ZE_RESULT_ERROR_INVALID_ENUMERATION);
  queueWith(&ze_command_queue_desc_t::mode, 3, ZE_RESULT_ERROR_INVALID_ENUMERATION);
  queueWith(&ze_command_queue_desc_t::priority, 3, ZE_RESULT_ERROR_INVALID_ENUMERATION);
  listDesc.commandQueueGroupOrdinal = 1;
  EXPECT_EQ(ze.list.table.pfnCreate(context, device, &listDesc, &newList), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  listDesc.commandQueueGroupOrdinal = 0;
  listDesc.flags = 0x40;
  EXPECT_EQ(ze.list.table.pfnCreate(context, device, &listDesc, &newList), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  EXPECT_EQ(ze.list.table.pfnAppendMemAdvise(list, device, memory, 64, static_cast<ze_memory_advice_t>(10)),
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
  ze_event_pool_handle_t newPool = nullptr;
  poolDesc.flags = 0x10;
  EXPECT_EQ(ze.pool.table.pfnCreate(context, &poolDesc, 0, nullptr, &newPool), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  ze_event_handle_t newEvent = nullptr;
  eventDesc.signal = 8;
  EXPECT_EQ(ze.event.table.pfnCreate(pool, &eventDesc, &newEvent), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  eventDesc.signal = 0, eventDesc.wait = 8;
  EXPECT_EQ(ze.event.table.pfnCreate(pool, &eventDesc, &newEvent), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  ze_fence_handle_t newFence = nullptr;
  fenceDesc.flags = 2;
  EXPECT_EQ(ze.fence.table.pfnCreate(queue, &fenceDesc, &newFence), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  EXPECT_EQ(ze.kernel.table.pfnSetIndirectAccess(kernel, 8), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  EXPECT_EQ(ze.kernel.table.pfnSetCacheConfig(kernel, 4), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  kernelDesc.flags = 4;
  ze_kernel_handle_t newKernel = nullptr;
  EXPECT_EQ(ze.kernel.table.pfnCreate(module, &kernelDesc, &newKernel), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  kernelDesc.flags = 0, kernelDesc.pKernelName = "nonesuch";
  EXPECT_EQ(ze.kernel.table.pfnCreate(module, &kernelDesc, &newKernel), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
}

TEST_F(DriverCodes, absurdSizes) {
  void *pointer = nullptr;
  ze_device_properties_t properties{};
  ASSERT_EQ(ze.device.table.pfnGetProperties(device, &properties), ZE_RESULT_SUCCESS);
  auto allocate = [&](size_t size, size_t alignment, ze_result_t wanted) {
    EXPECT_EQ(ze.memory.table.pfnAllocDevice(context, &deviceMemory, size, alignment, device, &pointer), wanted) << size;
    EXPECT_EQ(ze.memory.table.pfnAllocHost(context, &hostMemory, size, alignment, &pointer), wanted) << size;
    EXPECT_EQ(ze.memory.table.pfnAllocShared(context, &deviceMemory, &hostMemory, size, alignment, device, &pointer), wanted)
        << size;
  };
  for (size_t size : {size_t{0}, properties.maxMemAllocSize + 1, size_t{1} << 62, SIZE_MAX, SIZE_MAX - 4095})
    allocate(size, 64, ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
  for (size_t alignment : {size_t{3}, size_t{96}, size_t{1} << 63, SIZE_MAX})
    allocate(64, alignment, ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
  // A host that relaxes the limit may allocate more, but not more than the address space.
  auto relaxed = described<ze_relaxed_allocation_limits_exp_desc_t>(ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC);
  relaxed.flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE;
  deviceMemory.pNext = &relaxed;
  EXPECT_EQ(ze.memory.table.pfnAllocDevice(context, &deviceMemory, SIZE_MAX, 64, device, &pointer),
            ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
  ASSERT_EQ(ze.memory.table.pfnAllocDevice(context, &deviceMemory, properties.maxMemAllocSize + 1, 64, device, &pointer),
            ZE_RESULT_SUCCESS);
  EXPECT_EQ(ze.memory.table.pfnFree(context, pointer), ZE_RESULT_SUCCESS);
  deviceMemory.pNext = nullptr;
  deviceMemory.flags = 8;
  EXPECT_EQ(ze.memory.table.pfnAllocDevice(context, &deviceMemory, 64, 64, device, &pointer),
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
  hostMemory.flags = 0x20;
  EXPECT_EQ(ze.memory.table.pfnAllocHost(context, &hostMemory, 64, 64, &pointer), ZE_RESULT_ERROR_INVALID_ENUMERATION);

  ze_module_handle_t newModule = nullptr;
  for (size_t size : {size_t{0}, SIZE_MAX}) {
    moduleDesc.inputSize = size;
    EXPECT_EQ(ze.module.table.pfnCreate(context, device, &moduleDesc, &newModule, nullptr), ZE_RESULT_ERROR_INVALID_SIZE);
  }
  moduleDesc.inputSize = 64, moduleDesc.format = static_cast<ze_module_format_t>(2);
  EXPECT_EQ(ze.module.table.pfnCreate(context, device, &moduleDesc, &newModule, nullptr), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  moduleDesc.format = ZE_MODULE_FORMAT_NATIVE;
  EXPECT_EQ(ze.module.table.pfnCreate(context, device, &moduleDesc, &newModule, nullptr),
            ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);

  ze_event_pool_handle_t large = nullptr;
  poolDesc.count = 0;
  EXPECT_EQ(ze.pool.table.pfnCreate(context, &poolDesc, 0, nullptr, &large), ZE_RESULT_ERROR_INVALID_SIZE);
  poolDesc.count = UINT32_MAX;
  EXPECT_EQ(ze.pool.table.pfnCreate(context, &poolDesc, 1, nullptr, &large), ZE_RESULT_ERROR_INVALID_SIZE);
  ASSERT_EQ(ze.pool.table.pfnCreate(context, &poolDesc, 0, nullptr, &large), ZE_RESULT_SUCCESS);
  EXPECT_EQ(ze.pool.table.pfnDestroy(large), ZE_RESULT_SUCCESS);
  ze_event_handle_t newEvent = nullptr;
  eventDesc.index = 4;
  EXPECT_EQ(ze.event.table.pfnCreate(pool, &eventDesc, &newEvent), ZE_RESULT_ERROR_INVALID_ARGUMENT);

  auto set = ze.kernel.table.pfnSetArgumentValue;
  EXPECT_EQ(set(kernel, 3, 4, memory), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
  EXPECT_EQ(set(kernel, 0, 4, &memory), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
  EXPECT_EQ(set(kernel, 0, SIZE_MAX, &memory), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
  for (size_t size : {size_t{0}, size_t{1} << 20, SIZE_MAX})
    EXPECT_EQ(set(kernel, 1, size, nullptr), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
  EXPECT_EQ(set(kernel, 1, 64, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  for (auto [x, y, z] :
       {std::tuple(0u, 1u, 1u), {1u, 0u, 1u}, {1u, 1u, 0u}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}, {4096u, 1u, 1u}})
    EXPECT_EQ(ze.kernel.table.pfnSetGroupSize(kernel, x, y, z), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
  uint32_t a = 0, b = 0, c = 0;
  EXPECT_EQ(ze.kernel.table.pfnSuggestGroupSize(kernel, 0, 1, 1, &a, &b, &c), ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
}

TEST_F(DriverCodes, fillPatterns) {
  std::vector<char> pattern(1 << 17);
  auto fill = [&](void *to, size_t patternBytes, size_t bytes) {
    return ze.list.table.pfnAppendMemoryFill(list, to, pattern.data(), patternBytes, bytes, nullptr, 0, nullptr);
  };
  for (size_t bytes : {0, 3, 5, 6, 7, 12, 96}) EXPECT_EQ(fill(memory, bytes, bytes * 8), ZE_RESULT_ERROR_INVALID_SIZE) << bytes;
  EXPECT_EQ(fill(memory, 1 << 17, 1 << 17), ZE_RESULT_ERROR_INVALID_SIZE);
  EXPECT_EQ(fill(memory, size_t{1} << 63, size_t{1} << 63), ZE_RESULT_ERROR_INVALID_SIZE);
  EXPECT_EQ(fill(memory, 4, 6), ZE_RESULT_ERROR_INVALID_SIZE);
  EXPECT_EQ(fill(static_cast<char *>(memory) + 2, 4, 8), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
  for (size_t bytes : {1, 2, 4, 8, 64}) EXPECT_EQ(fill(memory, bytes, bytes * 2), ZE_RESULT_SUCCESS) << bytes;
  ze_command_queue_group_properties_t group{};
  uint32_t one = 1;
  ASSERT_EQ(ze.device.table.pfnGetCommandQueueGroupProperties(device, &one, &group), ZE_RESULT_SUCCESS);
  EXPECT_EQ(group.maxMemoryFillPatternSize, size_t{1} << 16);
}

TEST_F(DriverCodes, memoryThatIsNotOfTheDevice) {
  int own = 0;
  void *base = nullptr;
  size_t size = 0;
  EXPECT_EQ(ze.memory.table.pfnFree(context, &own), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(ze.memory.table.pfnFree(context, static_cast<char *>(memory) + 64), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  freeDesc.freePolicy = 4;
  EXPECT_EQ(ze.memory.table.pfnFreeExt(context, &freeDesc, memory), ZE_RESULT_ERROR_INVALID_ENUMERATION);
  EXPECT_EQ(ze.memory.table.pfnGetAddressRange(context, &own, &base, &size), kAddressNotFound);
  EXPECT_EQ(ze.memory.table.pfnGetAddressRange(context, static_cast<char *>(memory) + 64, &base, &size), ZE_RESULT_SUCCESS);
  EXPECT_EQ(base, memory);
  EXPECT_EQ(size, 4096u);
  EXPECT_EQ(ze.context.table.pfnMakeMemoryResident(context, device, &own, 4), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(ze.context.table.pfnMakeMemoryResident(context, device, memory, 4096), ZE_RESULT_SUCCESS);
}

TEST_F(DriverCodes, listsAndWhatTheyWaitFor) {
  ze_event_handle_t none = nullptr;
  auto barrier = ze.list.table.pfnAppendBarrier;
  EXPECT_EQ(barrier(list, nullptr, 1, nullptr), ZE_RESULT_ERROR_INVALID_SIZE);
  EXPECT_EQ(barrier(list, nullptr, 1, &none), ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
  auto execute = ze.queue.table.pfnExecuteCommandLists;
  EXPECT_EQ(execute(queue, 0, &list, nullptr), ZE_RESULT_ERROR_INVALID_SIZE);
  EXPECT_EQ(execute(queue, 1, &list, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "it is not closed";
  EXPECT_EQ(execute(queue, 1, &immediate, nullptr), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
  ze_command_list_handle_t noList = nullptr;
  EXPECT_EQ(execute(queue, 1, &noList, nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
  ASSERT_EQ(ze.list.table.pfnClose(list), ZE_RESULT_SUCCESS);
  EXPECT_EQ(barrier(list, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "it is closed";
  ze_command_queue_handle_t other = nullptr;
  ASSERT_EQ(ze.queue.table.pfnCreate(context, device, &queueDesc, &other), ZE_RESULT_SUCCESS);
  EXPECT_EQ(execute(other, 1, &list, fence), ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT) << "a fence of another queue";
  EXPECT_EQ(ze.queue.table.pfnDestroy(other), ZE_RESULT_SUCCESS);
  EXPECT_EQ(execute(queue, 1, &list, fence), ZE_RESULT_SUCCESS);
  EXPECT_EQ(ze.fence.table.pfnHostSynchronize(fence, UINT64_MAX), ZE_RESULT_SUCCESS);
  auto synchronise = ze.list.at<HostSynchronize>(kHostSynchronizeSlot);
  EXPECT_EQ(synchronise(list, 0), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "it is not immediate";
  EXPECT_EQ(barrier(immediate, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
  EXPECT_EQ(synchronise(immediate, UINT64_MAX), ZE_RESULT_SUCCESS);
  // Timestamps need events of pools that were created with timestamps.
  poolDesc.flags = 0;
  ze_event_pool_handle_t plain = nullptr;
  ze_event_handle_t untimed = nullptr;
  ASSERT_EQ(ze.pool.table.pfnCreate(context, &poolDesc, 0, nullptr, &plain), ZE_RESULT_SUCCESS);
  ASSERT_EQ(ze.event.table.pfnCreate(plain, &eventDesc, &untimed), ZE_RESULT_SUCCESS);
  ze_kernel_timestamp_result_t times{};
  EXPECT_EQ(ze.event.table.pfnQueryKernelTimestamp(untimed, &times), ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
  EXPECT_EQ(ze.event.table.pfnQueryKernelTimestamp(event, &times), ZE_RESULT_NOT_READY);
  EXPECT_EQ(ze.list.table.pfnAppendQueryKernelTimestamps(immediate, 1, &untimed, memory, nullptr, nullptr, 0, nullptr),
            ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
  EXPECT_EQ(ze.event.table.pfnDestroy(untimed), ZE_RESULT_SUCCESS);
  EXPECT_EQ(ze.pool.table.pfnDestroy(plain), ZE_RESULT_SUCCESS);
}

// If a kernel writes out of bounds, its queue ends. The device and the context report this until the queue is destroyed.
TEST_F(DriverCodes, statusAfterALostDevice) {
  auto deviceStatus = ze.device.table.pfnGetStatus;
  auto contextStatus = ze.context.table.pfnGetStatus;
  auto synchronise = ze.list.at<HostSynchronize>(kHostSynchronizeSlot);
  EXPECT_EQ(launch(immediate), ZE_RESULT_SUCCESS);
  EXPECT_EQ(synchronise(immediate, UINT64_MAX), ZE_RESULT_SUCCESS);
  EXPECT_EQ(deviceStatus(device), ZE_RESULT_SUCCESS);
  EXPECT_EQ(contextStatus(context), ZE_RESULT_SUCCESS);
  ze_context_handle_t other = nullptr;
  ASSERT_EQ(ze.context.table.pfnCreate(driver, &contextDesc, &other), ZE_RESULT_SUCCESS);
  ze_command_list_handle_t bad = nullptr;
  ASSERT_EQ(ze.list.table.pfnCreateImmediate(context, device, &queueDesc, &bad), ZE_RESULT_SUCCESS);
  setArguments(1 << 20);
  EXPECT_EQ(launch(bad), ZE_RESULT_SUCCESS);
  EXPECT_EQ(synchronise(bad, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
  EXPECT_EQ(deviceStatus(device), ZE_RESULT_ERROR_DEVICE_LOST);
  EXPECT_EQ(contextStatus(context), ZE_RESULT_ERROR_DEVICE_LOST);
  EXPECT_EQ(contextStatus(other), ZE_RESULT_SUCCESS);
  EXPECT_EQ(launch(bad), ZE_RESULT_ERROR_DEVICE_LOST) << "it takes nothing any more";
  const char *text = nullptr;
  ASSERT_EQ(ze.driver.at<LastErrorDescription>(kLastErrorDescriptionSlot)(driver, &text), ZE_RESULT_SUCCESS);
  EXPECT_EQ(std::string(text).rfind("kernel k, workgroup (0, 0, 0), lane 0 of subgroup 0: store of 4 bytes", 0), 0u) << text;
  EXPECT_EQ(ze.list.table.pfnDestroy(bad), ZE_RESULT_SUCCESS);
  EXPECT_EQ(deviceStatus(device), ZE_RESULT_SUCCESS);
  EXPECT_EQ(contextStatus(context), ZE_RESULT_SUCCESS);
  setArguments(0);
  EXPECT_EQ(launch(immediate), ZE_RESULT_SUCCESS);
  EXPECT_EQ(synchronise(immediate, UINT64_MAX), ZE_RESULT_SUCCESS);
  EXPECT_EQ(ze.context.table.pfnDestroy(other), ZE_RESULT_SUCCESS);
}

// A host's table has the slots of the version that it requests: all of these are filled, and none beyond them.
TEST(DriverTablesTest, haveTheSizeOfTheHostsVersion) {
  if (access(kDriver, R_OK) != 0) GTEST_SKIP() << "Debian's package libze-dev was not there when this was built";
  DriverTables ze;
  for (auto [minor, global, list, event] : {std::tuple(1u, 1u, 26u, 7u),
                                            {4u, 1u, 28u, 7u},
                                            {6u, 1u, 29u, 8u},
                                            {9u, 1u, 34u, 11u},
                                            {10u, 2u, 34u, 11u},
                                            {17u, 2u, 52u, 17u},
                                            {30u, 2u, 52u, 17u}}) {
    DriverTables asked;
    ASSERT_TRUE(asked.open(kDriver, static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, minor)))) << minor;
    auto filled = [](const auto &slots) {
      return static_cast<unsigned>(std::find(slots.slot, slots.slot + 64, nullptr) - slots.slot);
    };
    EXPECT_EQ(filled(asked.global), global) << minor;
    EXPECT_EQ(filled(asked.list), list) << minor;
    EXPECT_EQ(filled(asked.event), event) << minor;
    for (size_t i = filled(asked.list); i < 64; ++i) EXPECT_EQ(asked.list.slot[i], nullptr);
  }
  EXPECT_FALSE(ze.open(kDriver, static_cast<ze_api_version_t>(ZE_MAKE_VERSION(2, 0))));
  // A slot without a function of the driver returns UNSUPPORTED_FEATURE.
  ASSERT_TRUE(ze.open(kDriver, kNewest));
  EXPECT_EQ(ze.list.at<HostSynchronize>(51)(nullptr, 0), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

} // namespace
} // namespace xt::soft::test
