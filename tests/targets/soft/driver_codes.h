// A fixture that creates one of each object of the driver, through the driver's own tables, and calls functions with null
// arguments.
#pragma once
#include "tests/targets/soft/driver_table.h"
#include "tests/targets/soft/soft_kernel.h"

#include "ir/base/text.h"

#include <unistd.h>

#include <algorithm>
#include <initializer_list>
#include <tuple>

namespace xt::soft::test {

inline constexpr const char *kDriver = XT_BINARY_DIR "/lib/libze_xt_soft.so";
inline constexpr auto kNewest = static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, 17));

template <class Desc> Desc described(ze_structure_type_t type) {
  Desc desc{};
  desc.stype = type;
  return desc;
}

// Has one of each object that the driver creates.
class DriverCodes : public testing::Test {
protected:
  void SetUp() override {
    if (access(kDriver, R_OK) != 0) GTEST_SKIP() << "Debian's package libze-dev was not there when this was built";
    if (std::string package = missingPackage(); !package.empty())
      GTEST_SKIP() << "Debian's package " << package << " is not installed";
    ASSERT_TRUE(ze.open(kDriver, kNewest));
    InitDriversDesc init;
    init.flags = kInitGpuDrivers;
    uint32_t one = 1;
    ASSERT_EQ(initDrivers()(&one, &driver, &init), ZE_RESULT_SUCCESS);
    ASSERT_EQ(ze.device.table.pfnGet(driver, &one, &device), ZE_RESULT_SUCCESS);
    ASSERT_EQ(ze.context.table.pfnCreate(driver, &contextDesc, &context), ZE_RESULT_SUCCESS);
    ASSERT_EQ(ze.queue.table.pfnCreate(context, device, &queueDesc, &queue), ZE_RESULT_SUCCESS);
    ASSERT_EQ(ze.list.table.pfnCreate(context, device, &listDesc, &list), ZE_RESULT_SUCCESS);
    ASSERT_EQ(ze.list.table.pfnCreateImmediate(context, device, &queueDesc, &immediate), ZE_RESULT_SUCCESS);
    poolDesc.flags = ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
    poolDesc.count = 4;
    ASSERT_EQ(ze.pool.table.pfnCreate(context, &poolDesc, 0, nullptr, &pool), ZE_RESULT_SUCCESS);
    ASSERT_EQ(ze.event.table.pfnCreate(pool, &eventDesc, &event), ZE_RESULT_SUCCESS);
    ASSERT_EQ(ze.fence.table.pfnCreate(queue, &fenceDesc, &fence), ZE_RESULT_SUCCESS);
    ASSERT_EQ(ze.memory.table.pfnAllocDevice(context, &deviceMemory, 4096, 64, device, &memory), ZE_RESULT_SUCCESS);
    static const std::vector<uint8_t> spirv = spirvOf("__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int "
                                                      "*o, local int *l, int where) { l[0] = 1; o[where] = l[0]; }");
    ASSERT_FALSE(spirv.empty());
    moduleDesc.format = ZE_MODULE_FORMAT_IL_SPIRV;
    moduleDesc.pInputModule = spirv.data();
    moduleDesc.inputSize = spirv.size();
    ASSERT_EQ(ze.module.table.pfnCreate(context, device, &moduleDesc, &module, &log), ZE_RESULT_SUCCESS);
    kernelDesc.pKernelName = "k";
    ASSERT_EQ(ze.kernel.table.pfnCreate(module, &kernelDesc, &kernel), ZE_RESULT_SUCCESS);
    setArguments(0);
  }

  void TearDown() override {
    if (!kernel) return;
    for (auto destroyed :
         {ze.kernel.table.pfnDestroy(kernel), ze.module.table.pfnDestroy(module), ze.log.table.pfnDestroy(log),
          ze.memory.table.pfnFree(context, memory), ze.fence.table.pfnDestroy(fence), ze.event.table.pfnDestroy(event),
          ze.pool.table.pfnDestroy(pool), ze.list.table.pfnDestroy(immediate), ze.list.table.pfnDestroy(list),
          ze.queue.table.pfnDestroy(queue), ze.context.table.pfnDestroy(context)})
      EXPECT_EQ(destroyed, ZE_RESULT_SUCCESS);
  }

  InitDrivers initDrivers() const { return ze.global.at<InitDrivers>(kInitDriversSlot); }
  void setArguments(int where) {
    auto set = ze.kernel.table.pfnSetArgumentValue;
    EXPECT_EQ(set(kernel, 0, sizeof memory, &memory), ZE_RESULT_SUCCESS);
    EXPECT_EQ(set(kernel, 1, 64, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(set(kernel, 2, sizeof where, &where), ZE_RESULT_SUCCESS);
    EXPECT_EQ(ze.kernel.table.pfnSetGroupSize(kernel, 16, 1, 1), ZE_RESULT_SUCCESS);
  }
  ze_result_t launch(ze_command_list_handle_t to) {
    return ze.list.table.pfnAppendLaunchKernel(to, kernel, &groups, nullptr, 0, nullptr);
  }

  // Calls `function` once for each pointer argument, with this argument null, and expects an error. `optional`: positions of
  // the arguments that may be null, which are skipped.
  template <class... Params, class... Args>
  void nulls(const char *name, ze_result_t (*function)(Params...), std::initializer_list<size_t> optional, Args... args) {
    static_assert(sizeof...(Params) == sizeof...(Args));
    eachNull<0>(name, function, optional, std::tuple<Params...>(args...));
  }

  DriverTables ze;
  ze_driver_handle_t driver = nullptr;
  ze_device_handle_t device = nullptr;
  ze_context_handle_t context = nullptr;
  ze_command_queue_handle_t queue = nullptr;
  ze_command_list_handle_t list = nullptr, immediate = nullptr;
  ze_event_pool_handle_t pool = nullptr;
  ze_event_handle_t event = nullptr;
  ze_fence_handle_t fence = nullptr;
  ze_module_handle_t module = nullptr;
  ze_module_build_log_handle_t log = nullptr;
  ze_kernel_handle_t kernel = nullptr;
  void *memory = nullptr;
  ze_group_count_t groups{1, 1, 1};
  ze_context_desc_t contextDesc = described<ze_context_desc_t>(ZE_STRUCTURE_TYPE_CONTEXT_DESC);
  ze_command_queue_desc_t queueDesc = described<ze_command_queue_desc_t>(ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
  ze_command_list_desc_t listDesc = described<ze_command_list_desc_t>(ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC);
  ze_event_pool_desc_t poolDesc = described<ze_event_pool_desc_t>(ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
  ze_event_desc_t eventDesc = described<ze_event_desc_t>(ZE_STRUCTURE_TYPE_EVENT_DESC);
  ze_fence_desc_t fenceDesc = described<ze_fence_desc_t>(ZE_STRUCTURE_TYPE_FENCE_DESC);
  ze_device_mem_alloc_desc_t deviceMemory = described<ze_device_mem_alloc_desc_t>(ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
  ze_host_mem_alloc_desc_t hostMemory = described<ze_host_mem_alloc_desc_t>(ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
  ze_memory_free_ext_desc_t freeDesc = described<ze_memory_free_ext_desc_t>(ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC);
  ze_module_desc_t moduleDesc = described<ze_module_desc_t>(ZE_STRUCTURE_TYPE_MODULE_DESC);
  ze_kernel_desc_t kernelDesc = described<ze_kernel_desc_t>(ZE_STRUCTURE_TYPE_KERNEL_DESC);

private:
  template <size_t I, class Function, class Tuple>
  void eachNull(const char *name, Function function, std::initializer_list<size_t> optional, const Tuple &args) {
    if constexpr (I < std::tuple_size_v<Tuple>) {
      using Arg = std::tuple_element_t<I, Tuple>;
      bool mayBeNull = std::find(optional.begin(), optional.end(), I) != optional.end();
      if constexpr (std::is_pointer_v<Arg>)
        if (!mayBeNull) {
          Tuple changed = args;
          std::get<I>(changed) = nullptr;
          bool handle = isHandle<Arg>();
          EXPECT_EQ(std::apply(function, changed),
                    handle ? ZE_RESULT_ERROR_INVALID_NULL_HANDLE : ZE_RESULT_ERROR_INVALID_NULL_POINTER)
              << name << ", argument " << I;
        }
      eachNull<I + 1>(name, function, optional, args);
    }
  }
  template <class Arg> static constexpr bool isHandle() {
    return (std::is_same_v<Arg, ze_driver_handle_t> || std::is_same_v<Arg, ze_device_handle_t> ||
            std::is_same_v<Arg, ze_context_handle_t> || std::is_same_v<Arg, ze_command_queue_handle_t> ||
            std::is_same_v<Arg, ze_command_list_handle_t> || std::is_same_v<Arg, ze_event_pool_handle_t> ||
            std::is_same_v<Arg, ze_event_handle_t> || std::is_same_v<Arg, ze_fence_handle_t> ||
            std::is_same_v<Arg, ze_module_handle_t> || std::is_same_v<Arg, ze_module_build_log_handle_t> ||
            std::is_same_v<Arg, ze_kernel_handle_t>);
  }
};

} // namespace xt::soft::test
