// A program of kernels that a driver has compiled for one device, and its kernels.
#pragma once
#include "targets/xe/opencl/device.h"

namespace xt {

// 256 registers a thread instead of 128: of Intel's GPUs.
inline constexpr const char *kClLargeRegisterFileOption = "-cl-intel-256-GRF-per-thread";
// Code is made as it stands, which takes less time.
inline constexpr const char *kClNotOptimisedOption = "-cl-opt-disable";

class ClProgram {
public:
  // `options`: those above, with blanks between. The Error says what the driver's build log does. The device outlives the
  // program.
  static Result<std::shared_ptr<ClProgram>> build(ClDevice &device, std::span<const uint8_t> spirv, const std::string &options);
  cl_program get() const { return program_.get(); }

private:
  ClHandle<cl_program> program_;
};

class ClKernel final : public XeDeviceKernel {
public:
  // With workgroups of so many lanes, all in x.
  static Result<std::unique_ptr<ClKernel>> make(ClDevice &device, std::shared_ptr<ClProgram> program, const std::string &entry, size_t lanes);

  Result<void> setArgument(uint32_t index, const XeArgument &argument) override;
  int64_t spillBytes() const override { return 0; }
  cl_kernel get() const { return kernel_.get(); }
  size_t lanes() const { return lanes_; }

private:
  const ClDevice *device_ = nullptr;
  std::shared_ptr<ClProgram> program_;
  ClHandle<cl_kernel> kernel_; // goes before its program does
  size_t lanes_ = 0;
};

} // namespace xt
