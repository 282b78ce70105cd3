// An open Level Zero device: its context, its single queue, and its modules. Must be used by one thread at a time.
#pragma once
#include "targets/gpu/kept_builds.h"
#include "targets/gpu/owned_handle.h"
#include "targets/xe/device/assembly_trial.h"
#include "targets/xe/level_zero/devices.h"

namespace xt {

class ZeModule;

template <class T> using ZeHandle = OwnedHandle<T, ze_result_t>;

class ZeDevice final : public GpuDevice {
public:
  // Copies the table and the description of the device.
  static Result<std::unique_ptr<ZeDevice>> open(const ZeFunctions &functions, ZeDeviceInfo info);
  // The same in a context of the caller, which must outlive the object. `list`: an immediate command list on which launches and copies are
  // queued behind what is there already; null: one of this object's own.
  static Result<std::unique_ptr<ZeDevice>> adopt(const ZeFunctions &functions, ZeDeviceInfo info, ze_context_handle_t context,
                                                 ze_command_list_handle_t list);
  ~ZeDevice() override;

  const ZeFunctions &functions() const { return ze_; }
  const ZeDeviceInfo &info() const override { return info_; }
  ze_context_handle_t context() const { return context_.get(); }

  // The driver's description of the last failure; "" unless it is the software device's driver.
  std::string toldFailure() const;

  Result<std::byte *> allocate(Where where, size_t bytes, size_t alignment) override;
  void release(std::byte *memory) override;
  void tellBuffer(void *allocation, size_t first, size_t bytes, const std::string &name) override;
  Result<bool> sees(const void *address) override;
  Result<std::unique_ptr<GpuDeviceKernel>> load(std::span<const uint8_t> spirv, const GpuKernel &code, bool optimise) override;
  Result<DriverAnswer> inlineAssembly() override;

  Result<void> copy(void *to, const void *from, size_t bytes) override;
  Result<void> launch(GpuDeviceKernel &kernel, const std::array<uint32_t, 3> &workgroups) override;
  // After an Error of the kernel, which the software device's driver reports, the device continues with a new queue.
  Result<void> finish() override;
  Result<double> kernelSeconds() override;

  // Returns the module for this SPIR-V, built with these options: a recently built one if there is one. The Error contains
  // the build log.
  Result<std::shared_ptr<ZeModule>> module(std::span<const uint8_t> spirv, const std::string &options);

private:
  ZeDevice(const ZeFunctions &functions, ZeDeviceInfo info) : ze_(functions), info_(std::move(info)) {}
  Result<void> makeEvents();
  Result<void> makeQueue();
  Result<void> makeEvent(uint32_t index, ze_event_handle_t &event);
  Result<void> wait();
  void *softwareFunction(const char *name) const; // a function of the software device's driver; null on others
  Result<void> check(std::string_view what, ze_result_t result);
  Error recover(const std::string &told); // creates a new queue; returns an Error of the kernel

  ZeFunctions ze_;
  ZeDeviceInfo info_;
  ZeHandle<ze_context_handle_t> context_;
  ZeHandle<ze_event_pool_handle_t> pool_;
  ZeHandle<ze_event_handle_t> ran_, finished_; // end of the last kernel, and of all queued commands
  bool timed_ = false; // ran_ belongs to a launch
  ZeHandle<ze_command_list_handle_t> queue_;
  bool borrowedQueue_ = false;
  Result<void> lost_; // why the device is unusable
  KeptBuilds<ZeModule> built_;
  AssemblyTrial assembly_;
};

} // namespace xt
