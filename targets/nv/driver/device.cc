#include "targets/nv/driver/device.h"

#include "ir/base/text.h"
#include "targets/nv/driver/kernel.h"

#include <bit>
#include <cstring>

namespace xt {
namespace {

constexpr unsigned kDefault = 0;

CuPointer pointerOf(const void *address) { return std::bit_cast<uintptr_t>(address); }

std::string withoutTrailingSpace(std::string text) {
  text.resize(strnlen(text.data(), text.size()));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// Stands for the function that destroys an object which belongs to the caller.
CuResult keep(CuStream) { return kCuSuccess; }

} // namespace

CuModule::~CuModule() {
  if (Result<CuCurrent> inside = device_.enter()) device_.functions().cuModuleUnload(handle_); // of a lost device, all is gone
}

CuDevice::~CuDevice() {
  Result<CuCurrent> inside = enter();
  built_ = {};
  for (CuHandle<CuEvent> *event : {&begun_, &ran_}) *event = {};
  stream_ = {};
}

Result<std::unique_ptr<CuDevice>> CuDevice::open(const CuFunctions &functions, CuDeviceInfo info) {
  std::unique_ptr<CuDevice> device(new CuDevice(functions, std::move(info)));
  const CuFunctions &cu = device->cu_;
  auto check = [&](std::string_view what, CuResult result) { return device->check(what, result); };
  if (auto made = check("cuDevicePrimaryCtxRetain", cu.cuDevicePrimaryCtxRetain(&device->context_, device->info_.device));
      !made)
    return made.error();
  if (Result<void> started = device->start(nullptr); !started) return started.error();
  return device;
}

Result<std::unique_ptr<CuDevice>> CuDevice::adopt(const CuFunctions &functions, CuDeviceInfo info, CuContext context,
                                                  CuStream stream) {
  std::unique_ptr<CuDevice> device(new CuDevice(functions, std::move(info)));
  device->context_ = context;
  if (Result<void> started = device->start(stream); !started) return started.error();
  return device;
}

Result<void> CuDevice::start(CuStream stream) {
  Result<CuCurrent> inside = enter();
  if (!inside) return inside.error();
  const bool borrowed = stream != nullptr;
  if (!borrowed)
    if (auto made = check("cuStreamCreate", cu_.cuStreamCreate(&stream, kDefault)); !made) return made;
  stream_ = {stream, borrowed ? keep : cu_.cuStreamDestroy_v2};
  for (CuHandle<CuEvent> *event : {&begun_, &ran_}) {
    CuEvent handle = nullptr;
    if (auto made = check("cuEventCreate", cu_.cuEventCreate(&handle, kDefault)); !made) return made;
    *event = {handle, cu_.cuEventDestroy_v2};
  }
  return {};
}

Result<bool> CuDevice::sees(const void *address) {
  Result<CuCurrent> inside = enter();
  if (!inside) return inside.error();
  unsigned kind = 0, managed = 0;
  CuContext context = nullptr;
  auto ask = [&](void *value, CuPointerAttribute attribute) {
    return cu_.cuPointerGetAttribute(value, attribute, pointerOf(address)) == kCuSuccess;
  };
  if (!ask(&kind, kCuMemoryType)) return false; // ordinary memory of the host
  if (kind == kCuHostMemory || (ask(&managed, kCuIsManaged) && managed)) return true;
  if (ask(&context, kCuContextOf) && context == context_) return true;
  return Error::environment(str("is in memory of another context or device than that of the launch, ", info_.name));
}

Result<void> CuDevice::check(std::string_view what, CuResult result) {
  if (result == kCuSuccess) return {};
  Error error = cuError(cu_, str(what, " on ", info_.name), result);
  if (isKernelFault(result)) lost_ = error;
  return error;
}

Result<CuCurrent> CuDevice::enter() {
  if (!lost_) return lost_.error();
  if (auto pushed = check("cuCtxPushCurrent", cu_.cuCtxPushCurrent_v2(context_)); !pushed) return pushed.error();
  return CuCurrent(cu_);
}

// The driver's memory is aligned to 256 bytes at least.
Result<std::byte *> CuDevice::allocate(Where where, size_t bytes, size_t) {
  Result<CuCurrent> inside = enter();
  if (!inside) return inside.error();
  const bool ofHost = where == Where::Host;
  void *host = nullptr;
  CuPointer there = 0;
  CuResult result = ofHost ? cu_.cuMemHostAlloc(&host, bytes, kDefault) : cu_.cuMemAlloc_v2(&there, bytes);
  if (auto made = check(str(ofHost ? "cuMemHostAlloc" : "cuMemAlloc", " of ", bytes, " bytes"), result); !made)
    return made.error();
  auto *memory = ofHost ? static_cast<std::byte *>(host) : std::bit_cast<std::byte *>(static_cast<uintptr_t>(there));
  if (ofHost) ofHost_.insert(memory);
  return memory;
}

void CuDevice::release(std::byte *memory) {
  Result<CuCurrent> inside = enter();
  if (!inside) return; // the driver has freed the memory of a lost device
  if (ofHost_.erase(memory))
    cu_.cuMemFreeHost(memory);
  else
    cu_.cuMemFree_v2(pointerOf(memory));
}

Result<std::shared_ptr<CuModule>> CuDevice::module(std::span<const uint8_t> ptx, bool optimise) {
  return built_.get(ptx, optimise ? "" : "not optimised", [&]() -> Result<std::shared_ptr<CuModule>> {
    constexpr size_t kLogBytes = 16 << 10;
    std::string text(ptx.begin(), ptx.end()), infos(kLogBytes, '\0'), errors(kLogBytes, '\0');
    CuJitOption options[] = {kCuErrorLog, kCuErrorLogBytes, kCuInfoLog, kCuInfoLogBytes, kCuOptimisation};
    auto number = [](size_t value) { return std::bit_cast<void *>(value); };
    void *values[] = {errors.data(), number(kLogBytes - 1), infos.data(), number(kLogBytes - 1), number(0)};
    unsigned count = optimise ? 4 : 5; // the driver optimises if it is not told how much
    CuModuleHandle handle = nullptr;
    CuResult result = cu_.cuModuleLoadDataEx(&handle, text.c_str(), count, options, values);
    if (Result<void> made = check("cuModuleLoadDataEx", result); !made) {
      Error error = made.error();
      for (std::string *log : {&errors, &infos})
        if (std::string lines = withoutTrailingSpace(*log); !lines.empty()) error.message += str("\n", lines);
      return error;
    }
    return std::make_shared<CuModule>(*this, handle);
  });
}

Result<std::unique_ptr<GpuDeviceKernel>> CuDevice::load(std::span<const uint8_t> ptx, const GpuKernel &code, bool optimise) {
  Result<CuCurrent> inside = enter();
  if (!inside) return inside.error();
  auto built = module(ptx, optimise);
  if (!built) return built.error();
  Result<std::unique_ptr<CuKernel>> kernel = CuKernel::make(*this, std::move(*built), code);
  if (!kernel) return kernel.error();
  return std::unique_ptr<GpuDeviceKernel>(std::move(*kernel));
}

Result<void> CuDevice::copy(void *to, const void *from, size_t bytes) {
  if (bytes == 0) return {};
  Result<CuCurrent> inside = enter();
  if (!inside) return inside.error();
  return check("cuMemcpyAsync", cu_.cuMemcpyAsync(pointerOf(to), pointerOf(from), bytes, stream_.get()));
}

Result<void> CuDevice::launch(GpuDeviceKernel &kernel, const std::array<uint32_t, 3> &workgroups) {
  Result<CuCurrent> inside = enter();
  if (!inside) return inside.error();
  auto &launched = static_cast<CuKernel &>(kernel);
  timed_ = false;
  note_ = launched.occupancyText();
  if (auto begun = check("cuEventRecord", cu_.cuEventRecord(begun_.get(), stream_.get())); !begun) return begun;
  std::vector<void *> arguments = launched.argumentAddresses();
  auto queued = check(str("cuLaunchKernel of ", launched.entry()),
                      cu_.cuLaunchKernel(launched.get(), workgroups[0], workgroups[1], workgroups[2], launched.lanes(), 1, 1,
                                         launched.givenSlmBytes(), stream_.get(), arguments.data(), nullptr));
  if (!queued) return queued;
  if (auto ended = check("cuEventRecord", cu_.cuEventRecord(ran_.get(), stream_.get())); !ended) return ended;
  timed_ = true;
  return {};
}

Result<void> CuDevice::finish() {
  Result<CuCurrent> inside = enter();
  if (!inside) return inside.error();
  Result<void> done = check("cuStreamSynchronize", cu_.cuStreamSynchronize(stream_.get()));
  if (!done && lost_) lost_ = done.error(); // what the stream has done is not known
  return done;
}

Result<double> CuDevice::kernelSeconds() {
  if (!timed_) return 0.0;
  float milliseconds = 0;
  auto asked = check("cuEventElapsedTime", cu_.cuEventElapsedTime(&milliseconds, begun_.get(), ran_.get()));
  if (!asked) return asked.error();
  return static_cast<double>(milliseconds) * 1e-3;
}

} // namespace xt
