// A device that is used: its context, its one queue, and its modules. One thread at a time.
#pragma once
#include "targets/xe/level_zero/devices.h"
#include "targets/xe/level_zero/handle.h"

#include <deque>
#include <memory>
#include <span>

namespace xt {

class ZeModule;

class ZeDevice {
public:
  // The table and what is told about the device outlive nothing: both are copied.
  static Result<std::unique_ptr<ZeDevice>> open(const ZeFunctions &functions, ZeDeviceInfo info);
  ~ZeDevice();

  const ZeFunctions &functions() const { return ze_; }
  const ZeDeviceInfo &info() const { return info_; }
  ze_context_handle_t context() const { return context_.get(); }

  // What the driver has to say about the last failure; "" from all but the software device's.
  std::string toldFailure() const;
  // Tells a software device that kernels may touch no more of an allocation than so many bytes from `first` on.
  void tellBuffer(void *allocation, size_t first, size_t bytes, const std::string &name) const;

  // Queued; each begins when all before it have ended. Memory is of the context, and stays until finish().
  Result<void> copy(void *to, const void *from, size_t bytes);
  Result<void> launch(ze_kernel_handle_t kernel, const ze_group_count_t &workgroups);
  // Waits for all that is queued. Where the driver says what a kernel did that it must not, as the software device's does,
  // that is an Error of the kernel, and the device goes on with a new queue. After another Error the device is lost: every
  // later call gives the same.
  Result<void> finish();
  // How long the last kernel ran, from the device's own clock. After finish().
  Result<double> kernelSeconds();

  // The module of this SPIR-V, built with these options; one that was built lately is not built again. The Error holds
  // the build log.
  Result<std::shared_ptr<ZeModule>> module(std::span<const uint8_t> spirv, const std::string &options);

private:
  ZeDevice(const ZeFunctions &functions, ZeDeviceInfo info) : ze_(functions), info_(std::move(info)) {}
  Result<void> makeQueue();
  Result<void> makeEvent(uint32_t index, ze_event_handle_t &event);
  Result<void> wait();
  void *softwareFunction(const char *name) const; // of the software device's driver; null on others
  Result<void> check(std::string_view what, ze_result_t result);
  Error recover(const std::string &told); // goes on with a new queue; the Error is one of the kernel

  ZeFunctions ze_;
  ZeDeviceInfo info_;
  ZeHandle<ze_context_handle_t> context_;
  ZeHandle<ze_event_pool_handle_t> pool_;
  ZeHandle<ze_event_handle_t> ran_, finished_; // of the last kernel, of all that is queued
  bool timed_ = false;                         // ran_ is set
  ZeHandle<ze_command_list_handle_t> queue_;
  Result<void> lost_; // why nothing works any more

  struct Built {
    std::vector<uint8_t> spirv;
    std::string options;
    std::shared_ptr<ZeModule> module;
  };
  std::deque<Built> built_; // the latest first
};

} // namespace xt
