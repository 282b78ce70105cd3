// An open NVIDIA GPU: the context of this process, one stream, the modules that the driver has compiled. Must be used by one thread at a
// time.
#pragma once
#include "targets/gpu/kept_builds.h"
#include "targets/gpu/owned_handle.h"
#include "targets/nv/driver/devices.h"

#include <set>
#include <utility>

namespace xt {

template <class T> using CuHandle = OwnedHandle<T, CuResult>;

// While one exists, the device's context is that of the thread; then the thread has the one before it again, which may be the program's.
class CuCurrent {
public:
  explicit CuCurrent(const CuFunctions &functions) : cu_(&functions) {}
  CuCurrent(CuCurrent &&other) noexcept : cu_(std::exchange(other.cu_, nullptr)) {}
  CuCurrent &operator=(CuCurrent &&) = delete;
  ~CuCurrent() {
    CuContext ours = nullptr;
    if (cu_) cu_->cuCtxPopCurrent_v2(&ours);
  }

private:
  const CuFunctions *cu_;
};

class CuDevice;

// A module that the driver has compiled. The device outlives it.
class CuModule {
public:
  CuModule(CuDevice &device, CuModuleHandle handle) : device_(device), handle_(handle) {}
  CuModule(const CuModule &) = delete;
  CuModule &operator=(const CuModule &) = delete;
  ~CuModule();
  CuModuleHandle get() const { return handle_; }

private:
  CuDevice &device_;
  CuModuleHandle handle_;
};

class CuDevice final : public GpuDevice {
public:
  // Copies the table and the description of the device.
  static Result<std::unique_ptr<CuDevice>> open(const CuFunctions &functions, CuDeviceInfo info);
  // The same in a context of the caller, which must outlive the object. `stream`: queues launches and copies behind what is there already;
  // null: one of this object's own.
  static Result<std::unique_ptr<CuDevice>> adopt(const CuFunctions &functions, CuDeviceInfo info, CuContext context,
                                                 CuStream stream);
  ~CuDevice() override;

  const CuFunctions &functions() const { return cu_; }
  const CuDeviceInfo &info() const override { return info_; }

  Result<std::byte *> allocate(Where where, size_t bytes, size_t alignment) override;
  void release(std::byte *memory) override;
  Result<bool> sees(const void *address) override;
  // `binary`: PTX.
  Result<std::unique_ptr<GpuDeviceKernel>> load(std::span<const uint8_t> binary, const GpuKernel &code, bool optimise) override;
  Result<void> copy(void *to, const void *from, size_t bytes) override;
  Result<void> launch(GpuDeviceKernel &kernel, const std::array<uint32_t, 3> &workgroups) override;
  // A kernel that makes an invalid access or traps takes the device away from this process: it is lost.
  Result<void> finish() override;
  Result<double> kernelSeconds() override;
  std::string launchNote() override { return note_; }

  // Makes the device's context that of this thread as long as the result exists. An Error if the device is lost.
  Result<CuCurrent> enter();
  // An Error of the environment that names the device, unless the call succeeded; it stays if a kernel is at fault.
  Result<void> check(std::string_view what, CuResult result);

private:
  CuDevice(const CuFunctions &functions, CuDeviceInfo info) : cu_(functions), info_(std::move(info)) {}
  Result<void> start(CuStream stream); // makes the stream, unless there is one, and the events
  Result<std::shared_ptr<CuModule>> module(std::span<const uint8_t> ptx, bool optimise);

  CuFunctions cu_;
  CuDeviceInfo info_;
  CuContext context_ = nullptr; // the primary one, which the driver keeps until the process ends, or that of the caller
  CuHandle<CuStream> stream_;
  CuHandle<CuEvent> begun_, ran_;
  bool timed_ = false; // the events belong to a launch
  std::string note_;
  std::set<std::byte *> ofHost_; // allocations of the host's memory
  Result<void> lost_; // why the device is unusable
  KeptBuilds<CuModule> built_;
};

} // namespace xt
