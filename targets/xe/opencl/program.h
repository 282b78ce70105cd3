// A program of kernels compiled by the driver for one device, and its kernels.
#pragma once
#include "targets/xe/opencl/device.h"

namespace xt {

// Disables optimisation, which makes compilation faster.
inline constexpr const char *kClNotOptimisedOption = "-cl-opt-disable";

class ClProgram {
public:
  // Builds a program. `options`: kClNotOptimisedOption and kClLargeRegisterFileOption, if wanted, separated by blanks. The
  // Error contains the driver's build log; then `refused`, if given, is set to whether that is because of what the module contains. The
  // device must outlive the program.
  static Result<std::shared_ptr<ClProgram>> build(ClDevice &device, std::span<const uint8_t> spirv, const std::string &options,
                                                  bool *refused = nullptr);
  cl_program get() const { return program_.get(); }

private:
  ClHandle<cl_program> program_;
};

class ClKernel final : public GpuDeviceKernel {
public:
  // `lanes`: the number of lanes of a workgroup, all in x.
  static Result<std::unique_ptr<ClKernel>> make(ClDevice &device, std::shared_ptr<ClProgram> program, const std::string &entry,
                                                size_t lanes);

  Result<void> setArgument(uint32_t index, const GpuArgument &argument) override;
  int64_t spillBytes() const override { return 0; }
  cl_kernel get() const { return kernel_.get(); }
  size_t lanes() const { return lanes_; }

private:
  const ClDevice *device_ = nullptr;
  std::shared_ptr<ClProgram> program_;
  ClHandle<cl_kernel> kernel_; // destroyed before its program
  size_t lanes_ = 0;
};

} // namespace xt
