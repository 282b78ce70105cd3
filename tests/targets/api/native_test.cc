// Tests libxt in a Level Zero context of the program, with the software device.
#include "tests/targets/api/api.h"

#include <level_zero/ze_api.h>

#include <cstdlib>
#include <dlfcn.h>
#include <numeric>

namespace xt::test {
namespace {

// What the program itself does with Level Zero.
struct Loader {
  template <class F> bool find(const char *name, F &function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
  }
  bool open() {
    library = dlopen("libze_loader.so.1", RTLD_NOW);
    uint32_t one = 1;
    ze_context_desc_t desc = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    ze_command_queue_desc_t queue = {};
    queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    return library && find("zeInit", init) && find("zeDriverGet", driverGet) && find("zeDeviceGet", deviceGet) &&
           find("zeContextCreate", contextCreate) && find("zeCommandListCreateImmediate", listCreate) &&
           find("zeMemAllocShared", allocShared) && find("zeMemFree", memFree) && init(0) == ZE_RESULT_SUCCESS &&
           driverGet(&one, &driver) == ZE_RESULT_SUCCESS && deviceGet(driver, &one, &device) == ZE_RESULT_SUCCESS &&
           contextCreate(driver, &desc, &context) == ZE_RESULT_SUCCESS &&
           listCreate(context, device, &queue, &list) == ZE_RESULT_SUCCESS;
  }
  float *shared(size_t bytes) {
    ze_device_mem_alloc_desc_t onDevice = {};
    ze_host_mem_alloc_desc_t onHost = {};
    onDevice.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, onHost.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
    void *memory = nullptr;
    EXPECT_EQ(allocShared(context, &onDevice, &onHost, bytes, 64, device, &memory), ZE_RESULT_SUCCESS);
    return static_cast<float *>(memory);
  }

  void *library = nullptr;
  decltype(&zeInit) init = nullptr;
  decltype(&zeDriverGet) driverGet = nullptr;
  decltype(&zeDeviceGet) deviceGet = nullptr;
  decltype(&zeContextCreate) contextCreate = nullptr;
  decltype(&zeCommandListCreateImmediate) listCreate = nullptr;
  decltype(&zeMemAllocShared) allocShared = nullptr;
  decltype(&zeMemFree) memFree = nullptr;
  ze_driver_handle_t driver = nullptr;
  ze_device_handle_t device = nullptr;
  ze_context_handle_t context = nullptr;
  ze_command_list_handle_t list = nullptr;
};

class Native : public Api {
protected:
  void SetUp() override {
    if (std::string why = whyNoSoftwareGpu(); !why.empty()) GTEST_SKIP() << why;
    Api::SetUp();
    setenv("ZE_ENABLE_ALT_DRIVERS", XT_BINARY_DIR "/lib/libze_xt_soft.so", 1);
    ASSERT_TRUE(ze_.open());
    options_ = textOptions(kScale);
    options_.target = "xe-pvc";
    options_.native_context = ze_.context;
    options_.native_device = ze_.device;
  }
  Loader ze_;
  xt_compile_options options_ = XT_INIT(xt_compile_options);
};

TEST_F(Native, LaunchesOnMemoryOfTheProgramsContext) {
  constexpr size_t kCount = 32 * 64;
  for (void *queue : {static_cast<void *>(ze_.list), static_cast<void *>(nullptr)}) {
    options_.native_queue = queue;
    program_ = compile(options_);
    ASSERT_EQ(status_, XT_OK) << message();
    std::vector<float> none;
    float *x = ze_.shared(kCount * sizeof(float)), *y = ze_.shared(kCount * sizeof(float));
    std::iota(x, x + kCount, 1.0f);
    Array arrayX(none, XT_F32, {32, 64}), arrayY(none, XT_F32, {32, 64});
    arrayX.argument.data = x, arrayY.argument.data = y;
    xt_kernel *kernel = xt_program_kernel_at(program_.get(), 0);
    ASSERT_EQ(launch(kernel, {arrayX.get(), arrayY.get(), number(4)}), XT_OK) << message();
    for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(y[i], x[i] * 4) << i;
    std::vector<float> host(kCount, -1.0f); // beside memory of the device
    Array arrayHost(host, XT_F32, {32, 64});
    ASSERT_EQ(launch(kernel, {arrayY.get(), arrayHost.get(), number(0.5)}), XT_OK) << message();
    for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(host[i], x[i] * 2) << i;
    ze_.memFree(ze_.context, x), ze_.memFree(ze_.context, y);
  }
}

TEST_F(Native, ADeviceThatIsNotThereOrRunsOtherCode) {
  options_.native_device = &options_;
  EXPECT_EQ(compile(options_), nullptr);
  EXPECT_NE(message().find("none of those that Level Zero's drivers list"), std::string::npos) << message();
  options_.native_device = ze_.device;
  options_.target = "xe-dg2";
  EXPECT_EQ(compile(options_), nullptr);
  EXPECT_NE(message().find("does not run code for xe-dg2"), std::string::npos) << message();
  options_.target = "xe"; // takes the device's own hardware
  EXPECT_NE(compile(options_), nullptr) << message();
}

} // namespace
} // namespace xt::test
