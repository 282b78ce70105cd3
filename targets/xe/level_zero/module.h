// A module of kernels compiled by the driver for one device, and its kernels.
#pragma once
#include "targets/xe/level_zero/device.h"

namespace xt {

// Disables optimisation, which makes compilation faster.
inline constexpr const char *kNotOptimisedOption = "-ze-opt-disable";

class ZeModule {
public:
  // Builds a module. `options`: kNotOptimisedOption and kLargeRegisterFileOption, if wanted, separated by blanks. The Error
  // contains the driver's build log; then `refused`, if given, is set to whether that is because of what the module contains. The
  // device must outlive the module.
  static Result<std::shared_ptr<ZeModule>> build(ZeDevice &device, std::span<const uint8_t> spirv, const std::string &options,
                                                 bool *refused = nullptr);

  ze_module_handle_t get() const { return module_.get(); }
  // The driver's messages about a module that it could build: warnings, spills.
  const std::string &log() const { return log_; }

private:
  ZeHandle<ze_module_handle_t> module_;
  std::string log_;
};

class ZeKernel final : public GpuDeviceKernel {
public:
  static Result<ZeKernel> make(ZeDevice &device, std::shared_ptr<ZeModule> module, const std::string &entry);

  // Sets the number of lanes of a workgroup, all in x.
  Result<void> setLanes(uint32_t lanes);
  Result<void> setArgument(uint32_t index, const GpuArgument &argument) override;

  ze_kernel_handle_t get() const { return kernel_.get(); }
  // Bytes of memory per lane for spilled registers; 0: no spills.
  int64_t spillBytes() const override { return spillBytes_; }
  int64_t subgroupSize() const { return subgroupSize_; } // 0: the driver chooses

private:
  const ZeFunctions *ze_ = nullptr;
  std::shared_ptr<ZeModule> module_;
  ZeHandle<ze_kernel_handle_t> kernel_; // destroyed before its module
  int64_t spillBytes_ = 0, subgroupSize_ = 0;
};

} // namespace xt
