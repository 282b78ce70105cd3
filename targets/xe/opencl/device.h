// An open OpenCL device: its context, its single queue, its memory and recently built programs.
#pragma once
#include "targets/faults/stray_faults.h"
#include "targets/gpu/kept_builds.h"
#include "targets/gpu/owned_handle.h"
#include "targets/xe/device/assembly_trial.h"
#include "targets/xe/opencl/devices.h"

namespace xt {

// The functions of cl_intel_unified_shared_memory: memory that is accessed by address. They belong to the driver, not to the
// loader.
struct ClMemoryFunctions {
  clDeviceMemAllocINTEL_fn deviceAlloc = nullptr;
  clHostMemAllocINTEL_fn hostAlloc = nullptr;
  clMemFreeINTEL_fn free = nullptr;
  clEnqueueMemcpyINTEL_fn copy = nullptr;
  clSetKernelArgMemPointerINTEL_fn setPointer = nullptr;
};

class ClProgram;

// Whether the driver may be called: false once a kernel has faulted on a thread of the driver. That thread has stopped with
// the locks that it held, so any call of the driver might wait forever. The driver's objects are leaked then.
inline bool mayCallClDriver() { return !StrayFaultTrap::fault(); }

template <class T> using ClHandle = OwnedHandle<T, cl_int, mayCallClDriver>;

class ClDevice final : public GpuDevice {
public:
  // Copies the table and the description of the device.
  static Result<std::unique_ptr<ClDevice>> open(const ClFunctions &functions, ClDeviceInfo info);
  ~ClDevice() override;

  const ClFunctions &functions() const { return cl_; }
  const ClMemoryFunctions &memoryFunctions() const { return memory_; }
  const ClDeviceInfo &info() const override { return info_; }
  cl_context context() const { return context_.get(); }

  Result<std::byte *> allocate(Where where, size_t bytes, size_t alignment) override;
  void release(std::byte *memory) override;
  Result<std::unique_ptr<GpuDeviceKernel>> load(std::span<const uint8_t> spirv, const GpuKernel &code, bool optimise) override;
  Result<DriverAnswer> inlineAssembly() override;
  Result<void> copy(void *to, const void *from, size_t bytes) override;
  Result<void> launch(GpuDeviceKernel &kernel, const std::array<uint32_t, 3> &workgroups) override;
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
  ClHandle<cl_command_queue> queue_; // executes in order
  ClHandle<cl_event> ran_;           // end of the last kernel
  std::optional<StrayFaultTrap> running_; // set while a kernel may run, because CPU drivers run it in this process
  Result<void> lost_;                // why the device is unusable
  KeptBuilds<ClProgram> built_;
  AssemblyTrial assembly_;
};

} // namespace xt
