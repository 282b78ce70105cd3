// Compiles a SPIR-V module to code in this process.
#pragma once
#include "targets/llvm/linked_object.h"
#include "targets/soft/lower.h"
#include "targets/soft/ordering_calls.h"

#include <memory>
#include <span>

namespace xt::soft {

class Program {
public:
  // Compiles the module. `optimised`: optimises it, unless a function is so large that this takes too long. An Error is the
  // text for a build log: of kind Kernel if the module is at fault, of kind Environment if this machine lacks something.
  static Result<std::unique_ptr<Program>> build(std::span<const uint8_t> spirv, const DeviceSettings &device, bool optimised);
  // Compiles the bitcode of an LLVM module with the intrinsics of NVVM (nvvm_calls.h), for the software NVIDIA device.
  static Result<std::unique_ptr<Program>> buildNvvm(std::span<const uint8_t> bitcode, const DeviceSettings &device,
                                                    bool optimised);
  // Compiles an LLVM module as llvm-spirv-15 generates it.
  static Result<std::unique_ptr<Program>> build(std::unique_ptr<llvm::Module> module, const DeviceSettings &device,
                                                bool optimised);
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  using Entry = void (*)(void *const *arguments);
  std::span<const LoweredKernel> kernels() const { return lowered_.kernels; }
  const LoweredKernel *find(std::string_view kernel) const; // null if there is no such kernel
  Entry entry(const LoweredKernel &kernel) const;
  const LoweredProgram &lowered() const { return lowered_; }
  const std::vector<Allocation> &data() const { return data_; }
  // The calls that launches can leave out, if the device was made for that.
  std::span<const OrderingCall> orderingCalls() const { return orderingCalls_; }

private:
  Program() = default;
  LoweredProgram lowered_; // code contains addresses of its elements
  std::unique_ptr<LinkedObject> code_;
  std::vector<Entry> entries_;
  std::vector<Allocation> data_;
  std::vector<OrderingCall> orderingCalls_;
};

} // namespace xt::soft
