#include "targets/xe/level_zero/device.h"

#include "ir/base/text.h"
#include "targets/xe/level_zero/module.h"
#include "targets/xe/register_file_options.h"

namespace xt {
namespace {

constexpr uint64_t kWaitNanoseconds = 200'000'000; // after this time, the device's status is checked

// Stands for the function that destroys an object which belongs to the caller.
template <class T> ze_result_t keep(T) { return ZE_RESULT_SUCCESS; }

} // namespace

ZeDevice::~ZeDevice() = default;

Result<std::unique_ptr<ZeDevice>> ZeDevice::open(const ZeFunctions &functions, ZeDeviceInfo info) {
  std::unique_ptr<ZeDevice> device(new ZeDevice(functions, std::move(info)));
  const ZeFunctions &ze = device->ze_;
  ze_context_desc_t desc{};
  desc.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
  ze_context_handle_t context = nullptr;
  if (ze_result_t r = ze.zeContextCreate(device->info_.driver, &desc, &context); r != ZE_RESULT_SUCCESS)
    return zeError("zeContextCreate", r);
  device->context_ = {context, ze.zeContextDestroy};
  if (Result<void> made = device->makeQueue(); !made) return made.error();
  return device;
}

Result<std::unique_ptr<ZeDevice>> ZeDevice::adopt(const ZeFunctions &functions, ZeDeviceInfo info, ze_context_handle_t context,
                                                  ze_command_list_handle_t list) {
  std::unique_ptr<ZeDevice> device(new ZeDevice(functions, std::move(info)));
  device->context_ = {context, keep<ze_context_handle_t>};
  device->borrowedQueue_ = list != nullptr;
  if (list) device->queue_ = {list, keep<ze_command_list_handle_t>};
  if (Result<void> made = device->makeQueue(); !made) return made.error();
  return device;
}

Result<void> ZeDevice::makeEvents() {
  ze_event_pool_desc_t pool{};
  pool.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  pool.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
  pool.count = 2;
  ze_event_pool_handle_t poolHandle = nullptr;
  if (ze_result_t r = ze_.zeEventPoolCreate(context(), &pool, 1, &info_.device, &poolHandle); r != ZE_RESULT_SUCCESS)
    return zeError("zeEventPoolCreate", r);
  ran_ = {};
  finished_ = {};
  pool_ = {poolHandle, ze_.zeEventPoolDestroy};
  ze_event_handle_t ran = nullptr, finished = nullptr;
  if (Result<void> made = makeEvent(0, ran); !made) return made;
  ran_ = {ran, ze_.zeEventDestroy};
  if (Result<void> made = makeEvent(1, finished); !made) return made;
  finished_ = {finished, ze_.zeEventDestroy};
  return {};
}

Result<void> ZeDevice::makeQueue() {
  if (Result<void> made = makeEvents(); !made || borrowedQueue_) return made;
  ze_command_queue_desc_t queue{};
  queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  queue.ordinal = info_.queueOrdinal;
  queue.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
  ze_command_list_handle_t list = nullptr;
  if (ze_result_t r = ze_.zeCommandListCreateImmediate(context(), info_.device, &queue, &list); r != ZE_RESULT_SUCCESS)
    return zeError("zeCommandListCreateImmediate", r);
  queue_ = {list, ze_.zeCommandListDestroy};
  return {};
}

Result<void> ZeDevice::makeEvent(uint32_t index, ze_event_handle_t &event) {
  ze_event_desc_t desc{};
  desc.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
  desc.index = index;
  desc.signal = desc.wait = ZE_EVENT_SCOPE_FLAG_HOST;
  if (ze_result_t r = ze_.zeEventCreate(pool_.get(), &desc, &event); r != ZE_RESULT_SUCCESS) return zeError("zeEventCreate", r);
  return {};
}

Result<void> ZeDevice::check(std::string_view what, ze_result_t result) {
  if (result == ZE_RESULT_SUCCESS) return {};
  Error error = zeError(str(what, " on ", info_.name), result);
  if (result != ZE_RESULT_ERROR_DEVICE_LOST) return error;
  if (std::string told = toldFailure(); !told.empty()) return recover(told);
  lost_ = error;
  return error;
}

// A failure of a kernel that the software device reports ends the queue, not the device.
Error ZeDevice::recover(const std::string &told) {
  timed_ = false;
  if (borrowedQueue_) {
    lost_ = Error::environment("the caller's command list was lost by a kernel that failed");
    return Error::kernel(told);
  }
  queue_ = {};
  lost_ = makeQueue();
  return Error::kernel(told);
}

Result<void> ZeDevice::copy(void *to, const void *from, size_t bytes) {
  if (!lost_) return lost_;
  if (bytes == 0) return {};
  auto done = check("zeCommandListAppendMemoryCopy",
                    ze_.zeCommandListAppendMemoryCopy(queue_.get(), to, from, bytes, nullptr, 0, nullptr));
  if (!done) return done;
  return check("zeCommandListAppendBarrier", ze_.zeCommandListAppendBarrier(queue_.get(), nullptr, 0, nullptr));
}

Result<void> ZeDevice::launch(GpuDeviceKernel &kernel, const std::array<uint32_t, 3> &workgroups) {
  if (!lost_) return lost_;
  ze_group_count_t groups{workgroups[0], workgroups[1], workgroups[2]};
  if (auto reset = check("zeEventHostReset", ze_.zeEventHostReset(ran_.get())); !reset) return reset;
  timed_ = true;
  auto done = check("zeCommandListAppendLaunchKernel",
                    ze_.zeCommandListAppendLaunchKernel(queue_.get(), static_cast<ZeKernel &>(kernel).get(), &groups,
                                                        ran_.get(), 0, nullptr));
  if (!done) return done;
  return check("zeCommandListAppendBarrier", ze_.zeCommandListAppendBarrier(queue_.get(), nullptr, 0, nullptr));
}

Result<void> ZeDevice::finish() {
  if (!lost_) return lost_;
  Result<void> done = wait();
  if (done) return done;
  if (done.error().kind == Error::Kind::Kernel) return done; // check() has already created a new queue
  if (std::string told = toldFailure(); !told.empty()) return recover(told);
  // Queued commands may still run, so memory that they use can never be trusted again.
  lost_ = done;
  return done;
}

Result<std::byte *> ZeDevice::allocate(Where where, size_t bytes, size_t alignment) {
  ze_device_mem_alloc_desc_t onDevice{};
  onDevice.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
  ze_host_mem_alloc_desc_t onHost{};
  onHost.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
  void *data = nullptr;
  bool there = where == Where::Device;
  ze_result_t result = there ? ze_.zeMemAllocDevice(context(), &onDevice, bytes, alignment, info_.device, &data)
                             : ze_.zeMemAllocHost(context(), &onHost, bytes, alignment, &data);
  if (result != ZE_RESULT_SUCCESS)
    return zeError(str(there ? "zeMemAllocDevice" : "zeMemAllocHost", " of ", bytes, " bytes on ", info_.name), result);
  return static_cast<std::byte *>(data);
}

void ZeDevice::release(std::byte *memory) { ze_.zeMemFree(context(), memory); }

Result<bool> ZeDevice::sees(const void *address) {
  ze_memory_allocation_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
  ze_device_handle_t owner = nullptr;
  auto asked = check("zeMemGetAllocProperties", ze_.zeMemGetAllocProperties(context(), address, &properties, &owner));
  if (!asked) return asked.error();
  if (properties.type != ZE_MEMORY_TYPE_DEVICE || !owner || owner == info_.device)
    return properties.type != ZE_MEMORY_TYPE_UNKNOWN;
  return Error::environment(str("is in memory of another device than that of the launch, ", info_.name));
}

Result<std::unique_ptr<GpuDeviceKernel>> ZeDevice::load(std::span<const uint8_t> spirv, const GpuKernel &code, bool optimise) {
  std::vector<std::string> options;
  if (code.largeRegisterFile) options.emplace_back(kLargeRegisterFileOption);
  if (!optimise) options.emplace_back(kNotOptimisedOption);
  Result<std::shared_ptr<ZeModule>> built = module(spirv, join(options, " "));
  if (!built) return built.error();
  Result<ZeKernel> kernel = ZeKernel::make(*this, *built, code.entry);
  if (!kernel) return kernel.error();
  auto lanes = static_cast<uint32_t>(code.subgroups * code.subgroupSize);
  if (Result<void> set = kernel->setLanes(lanes); !set) return set.error();
  return std::unique_ptr<GpuDeviceKernel>(std::make_unique<ZeKernel>(std::move(*kernel)));
}

Result<DriverAnswer> ZeDevice::inlineAssembly() {
  if (!lost_) return lost_.error();
  return assembly_.answer(
      info_, [&](std::span<const uint8_t> spirv, bool &refused) { return ZeModule::build(*this, spirv, "", &refused); });
}

void *ZeDevice::softwareFunction(const char *name) const {
  void *function = nullptr;
  bool there = info_.software && ze_.zeDriverGetExtensionFunctionAddress(info_.driver, name, &function) == ZE_RESULT_SUCCESS;
  return there ? function : nullptr;
}

void ZeDevice::tellBuffer(void *allocation, size_t first, size_t bytes, const std::string &name) {
  if (void *function = softwareFunction("xtSoftBuffer"))
    reinterpret_cast<int (*)(void *, size_t, size_t, const char *)>(function)(allocation, first, bytes, name.c_str());
}

std::string ZeDevice::toldFailure() const {
  void *function = softwareFunction("xtSoftLastError");
  if (!function) return "";
  const char *text = reinterpret_cast<const char *(*)()>(function)();
  return text ? text : "";
}

Result<void> ZeDevice::wait() {
  if (auto reset = check("zeEventHostReset", ze_.zeEventHostReset(finished_.get())); !reset) return reset;
  auto queued = check("zeCommandListAppendBarrier", ze_.zeCommandListAppendBarrier(queue_.get(), finished_.get(), 0, nullptr));
  if (!queued) return queued;
  while (true) {
    ze_result_t result = ze_.zeEventHostSynchronize(finished_.get(), kWaitNanoseconds);
    if (result != ZE_RESULT_NOT_READY) return check("zeEventHostSynchronize", result);
    // A lost device may never signal.
    if (auto there = check("zeDeviceGetStatus", ze_.zeDeviceGetStatus(info_.device)); !there) return there;
  }
}

Result<double> ZeDevice::kernelSeconds() {
  if (!timed_) return 0.0;
  ze_kernel_timestamp_result_t stamps{};
  auto asked = check("zeEventQueryKernelTimestamp", ze_.zeEventQueryKernelTimestamp(ran_.get(), &stamps));
  if (!asked) return asked.error();
  // The counter wraps around at its bit width.
  uint64_t mask =
      info_.timestampBits >= 64 || info_.timestampBits <= 0 ? ~uint64_t{0} : (uint64_t{1} << info_.timestampBits) - 1;
  uint64_t ticks = (stamps.global.kernelEnd - stamps.global.kernelStart) & mask;
  return static_cast<double>(ticks) * info_.tickNanoseconds * 1e-9;
}

Result<std::shared_ptr<ZeModule>> ZeDevice::module(std::span<const uint8_t> spirv, const std::string &options) {
  if (!lost_) return lost_.error();
  return built_.get(spirv, options, [&] { return ZeModule::build(*this, spirv, options); });
}

} // namespace xt
