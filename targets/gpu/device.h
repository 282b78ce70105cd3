// The interface of a device for launches, independent of the driver's interface: Level Zero or OpenCL (targets/xe), CUDA or
// the software device for NVIDIA's GPUs (targets/nv).
#pragma once
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"
#include "targets/gpu/kernel_abi.h"

#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace xt {

struct GpuDeviceInfo {
  std::string_view api;         // the driver's interface: "Level Zero"
  std::string name;             // the driver's name for the device
  std::string driverVersion;    // version of the driver: "1.3.24595"
  bool software = false;        // this project's software device
  bool hardware = false;        // a hardware GPU
  const TargetInfo *target = nullptr; // the target to compile for; "spirv" for unknown devices
  int64_t memoryBytes = 0;
  std::vector<int64_t> subgroupSizes;
  int64_t slmBytes = 0;         // per workgroup
  int64_t lanesPerWorkgroup = 0;
  std::array<uint64_t, 3> mostWorkgroups{}; // x, y, z
  bool f64 = false;
  // The hardware multiplies the sizes of "spirv-coop". Whether its driver takes SPV_KHR_cooperative_matrix shows when it builds a
  // kernel, as no interface can be asked.
  bool cooperativeMatrices = false;
  // Intel: the driver lists SPV_INTEL_inline_assembly among its extensions.
  bool listsInlineAssembly = false;
  std::string problem; // why the device cannot be used; "" if it can
};

// What a driver does with a feature, and how that is known: "its driver lists SPV_INTEL_inline_assembly".
struct DriverAnswer {
  bool taken = false;
  std::string why;
};

// An argument of a kernel; its value is in the low bytes of `bits`.
struct GpuArgument {
  uint64_t bits = 0;
  uint32_t bytes = 8;
  bool pointer = false; // points into the device's memory
  bool operator==(const GpuArgument &) const = default;
};

// A kernel compiled by the driver for one device.
class GpuDeviceKernel {
public:
  virtual ~GpuDeviceKernel() = default;
  virtual Result<void> setArgument(uint32_t index, const GpuArgument &argument) = 0;
  virtual int64_t spillBytes() const = 0; // per lane; 0 if the driver does not report it
};

// An open device. Must be used by one thread at a time.
class GpuDevice {
public:
  virtual ~GpuDevice() = default;
  std::recursive_mutex busy; // held by executables while they use the device
  std::map<const std::byte *, size_t> buffers; // of programs (Executable::allocate), with their bytes
  virtual const GpuDeviceInfo &info() const = 0;

  // Memory of the device, or memory of the host that the device can access.
  enum class Where { Device, Host };
  virtual Result<std::byte *> allocate(Where where, size_t bytes, size_t alignment) = 0;
  virtual void release(std::byte *memory) = 0;
  // Restricts kernels to `bytes` bytes of an allocation from `first` on. A device that can report accesses outside of this
  // range uses `name` for it in the reports.
  virtual void tellBuffer(void *, size_t /*first*/, size_t /*bytes*/, const std::string & /*name*/) {}

  // Whether kernels can use an address of the host's as it is, because it lies in memory of the device or in memory that host and
  // device share.
  // An Error, which says where it is, if it is memory of another device: the host cannot read that either.
  virtual Result<bool> sees(const void * /*address*/) { return false; }
  // The same, and true for addresses in `buffers`.
  Result<bool> ownsOrSees(const void *address) {
    const auto *byte = static_cast<const std::byte *>(address);
    auto after = buffers.upper_bound(byte);
    if (after != buffers.begin())
      if (auto [begin, bytes] = *std::prev(after); byte < begin + bytes) return true;
    return sees(address);
  }

  // Builds the kernel `code` of this binary (GpuCode), ready for launches with workgroups of its size. The Error contains the build
  // log.
  virtual Result<std::unique_ptr<GpuDeviceKernel>> load(std::span<const uint8_t> binary, const GpuKernel &code,
                                                        bool optimise) = 0;

  // Whether the driver builds code with inline assembly (GpuCode::inlineAssembly). A driver that does not list the extension is given a
  // small module once. An Error if that fails for another reason than what the module says.
  virtual Result<DriverAnswer> inlineAssembly() { return DriverAnswer{false, "its interface has none"}; }

  // These calls are queued; each begins after all earlier ones have ended. Memory must stay valid until finish().
  virtual Result<void> copy(void *to, const void *from, size_t bytes) = 0;
  virtual Result<void> launch(GpuDeviceKernel &kernel, const std::array<uint32_t, 3> &workgroups) = 0;
  // Waits for all queued calls. If the driver reports an error of a kernel, it is returned as an Error of the kernel.
  // After any other Error the device is lost: every later call returns the same Error.
  virtual Result<void> finish() = 0;
  // The run time of the last kernel in seconds, by the device's own clock. Call after finish().
  virtual Result<double> kernelSeconds() = 0;
  virtual std::string launchNote() { return ""; } // what a user should know of the last launch; "": nothing
};

} // namespace xt
