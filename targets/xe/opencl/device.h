// A device of OpenCL that is used: its context, its one queue, its memory and the programs built lately.
#pragma once
#include "targets/faults/stray_faults.h"
#include "targets/xe/device/kept_builds.h"
#include "targets/xe/device/owned_handle.h"
#include "targets/xe/opencl/devices.h"

namespace xt {

// cl_intel_unified_shared_memory: memory with addresses. The functions are the driver's, not the loader's.
struct ClMemoryFunctions {
  clDeviceMemAllocINTEL_fn deviceAlloc = nullptr;
  clHostMemAllocINTEL_fn hostAlloc = nullptr;
  clMemFreeINTEL_fn free = nullptr;
  clEnqueueMemcpyINTEL_fn copy = nullptr;
  clSetKernelArgMemPointerINTEL_fn setPointer = nullptr;
};

class ClProgram;

template <class T> using ClHandle = OwnedHandle<T, cl_int>;

class ClDevice final : public XeDevice {
public:
  // The table and what is told about the device outlive nothing: both are copied.
  static Result<std::unique_ptr<ClDevice>> open(const ClFunctions &functions, ClDeviceInfo info);
  ~ClDevice() override;

  const ClFunctions &functions() const { return cl_; }
  const ClMemoryFunctions &memoryFunctions() const { return memory_; }
  const ClDeviceInfo &info() const override { return info_; }
  cl_context context() const { return context_.get(); }

  Result<std::byte *> allocate(Where where, size_t bytes, size_t alignment) override;
  void release(std::byte *memory) override;
  Result<std::unique_ptr<XeDeviceKernel>> load(std::span<const uint8_t> spirv, const XeKernel &code, bool optimise) override;
  Result<void> copy(void *to, const void *from, size_t bytes) override;
  Result<void> launch(XeDeviceKernel &kernel, const std::array<uint32_t, 3> &workgroups) override;
  Result<void> finish() override;
  Result<double> kernelSeconds() override;

private:
  ClDevice(const ClFunctions &functions, ClDeviceInfo info) : cl_(functions), info_(std::move(info)) {}
  Result<void> findMemoryFunctions();
  Result<void> waitFor(cl_event event);
  Result<void> check(std::string_view what, cl_int result);

  ClFunctions cl_;
  ClDeviceInfo info_;
  ClMemoryFunctions memory_;
  ClHandle<cl_context> context_;
  ClHandle<cl_command_queue> queue_; // in order
  ClHandle<cl_event> ran_;           // of the last kernel
  std::optional<StrayFaultTrap> running_; // a kernel may be: drivers for CPUs run it in this process
  Result<void> lost_;                // why nothing works any more
  KeptBuilds<ClProgram> built_;
};

} // namespace xt
