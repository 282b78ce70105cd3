// A module of kernels that a driver has compiled for one device, and its kernels.
#pragma once
#include "targets/xe/level_zero/device.h"

namespace xt {

// 256 registers a thread instead of 128, and half as many threads.
inline constexpr const char *kLargeRegisterFileOption = "-ze-opt-large-register-file";

// Code is made as it stands, which takes less time.
inline constexpr const char *kNotOptimisedOption = "-ze-opt-disable";

class ZeModule {
public:
  // `options`: those above, with blanks between. The Error says what the driver's build log does. The device outlives the module.
  static Result<std::shared_ptr<ZeModule>> build(ZeDevice &device, std::span<const uint8_t> spirv, const std::string &options);

  ze_module_handle_t get() const { return module_.get(); }
  // What the driver had to say although it built the module: warnings, spills.
  const std::string &log() const { return log_; }

private:
  ZeHandle<ze_module_handle_t> module_;
  std::string log_;
};

class ZeKernel final : public XeDeviceKernel {
public:
  static Result<ZeKernel> make(ZeDevice &device, std::shared_ptr<ZeModule> module, const std::string &entry);

  // Lanes of one workgroup, all in x.
  Result<void> setLanes(uint32_t lanes);
  Result<void> setArgument(uint32_t index, const XeArgument &argument) override;

  ze_kernel_handle_t get() const { return kernel_.get(); }
  // Of a kernel that needs more registers than there are: bytes of each lane's memory that stand in; 0: none.
  int64_t spillBytes() const override { return spillBytes_; }
  int64_t subgroupSize() const { return subgroupSize_; } // 0: the driver chooses
  size_t argumentCount() const { return argumentCount_; }

private:
  const ZeFunctions *ze_ = nullptr;
  std::shared_ptr<ZeModule> module_;
  ZeHandle<ze_kernel_handle_t> kernel_; // goes before its module does
  int64_t spillBytes_ = 0, subgroupSize_ = 0;
  size_t argumentCount_ = 0;
};

} // namespace xt
