// A kernel in a module that NVIDIA's driver has compiled.
#pragma once
#include "targets/nv/driver/device.h"

namespace xt {

class CuKernel final : public GpuDeviceKernel {
public:
  // Finds the kernel in the module, and raises its limit of dynamic shared memory, which is 48 KiB by default, to what a launch gives.
  static Result<std::unique_ptr<CuKernel>> make(CuDevice &device, std::shared_ptr<CuModule> module, const GpuKernel &code);

  Result<void> setArgument(uint32_t index, const GpuArgument &argument) override;
  int64_t spillBytes() const override { return localBytes_; } // with arrays that are not in registers

  CuFunction get() const { return function_; }
  const std::string &entry() const { return entry_; }
  unsigned lanes() const { return lanes_; }
  unsigned givenSlmBytes() const { return givenSlmBytes_; }
  // The addresses of the arguments' values, which hold until the next setArgument().
  std::vector<void *> argumentAddresses();
  // "128 registers; 2 workgroups run on each of 132 multiprocessors at the same time"
  const std::string &occupancyText() const { return occupancyText_; }

private:
  CuKernel() = default;

  std::shared_ptr<CuModule> module_;
  CuFunction function_ = nullptr;
  std::string entry_, occupancyText_;
  unsigned lanes_ = 0, givenSlmBytes_ = 0;
  int64_t localBytes_ = 0;
  std::vector<GpuArgument> arguments_;
};

} // namespace xt
