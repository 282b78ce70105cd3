// What launches need of a device, whatever the interface of its driver is: Level Zero (level_zero/) or OpenCL (opencl/).
#pragma once
#include "ir/base/result.h"
#include "ir/target_info.h"
#include "targets/xe/kernel_abi.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace xt {

struct XeDeviceInfo {
  std::string_view api;         // of the driver: "Level Zero"
  std::string name;             // as the driver says it
  std::string driverVersion;    // "1.3.24595"; of the driver
  bool software = false;        // the software device of this project
  bool intelGpu = false;        // hardware
  const TargetInfo *target = nullptr; // what to compile for; "spirv" for devices that are not known
  int64_t memoryBytes = 0;
  std::vector<int64_t> subgroupSizes;
  int64_t slmBytes = 0;         // of a workgroup
  int64_t lanesPerWorkgroup = 0;
  std::array<uint64_t, 3> mostWorkgroups{}; // x, y, z
  bool f64 = false;
  std::string problem; // why it cannot be used; "" if it can
};

// What code for a device of Intel's is compiled for, by its PCI id; "spirv" where the id is not known.
const TargetInfo *targetOfPciId(uint32_t id);

// One argument of a kernel: its value in the low bytes.
struct XeArgument {
  uint64_t bits = 0;
  uint32_t bytes = 8;
  bool pointer = false; // into the device's memory
  bool operator==(const XeArgument &) const = default;
};

// A kernel that the driver has compiled for one device.
class XeDeviceKernel {
public:
  virtual ~XeDeviceKernel() = default;
  virtual Result<void> setArgument(uint32_t index, const XeArgument &argument) = 0;
  virtual int64_t spillBytes() const = 0; // a lane; 0 where the driver does not tell
};

// A device that is used. One thread at a time.
class XeDevice {
public:
  virtual ~XeDevice() = default;
  virtual const XeDeviceInfo &info() const = 0;

  // Of the device, or of the host where the device reaches it.
  enum class Where { Device, Host };
  virtual Result<std::byte *> allocate(Where where, size_t bytes, size_t alignment) = 0;
  virtual void release(std::byte *memory) = 0;
  // Kernels may touch no more of an allocation than so many bytes from `first` on; a device that can report what they do
  // beside it calls the range by its name.
  virtual void tellBuffer(void *, size_t /*first*/, size_t /*bytes*/, const std::string & /*name*/) {}

  // The kernel of this SPIR-V, ready for launches of workgroups of its size. The Error holds the build log.
  virtual Result<std::unique_ptr<XeDeviceKernel>> load(std::span<const uint8_t> spirv, const XeKernel &code, bool optimise) = 0;

  // Queued; each begins when all before it have ended. Memory stays until finish().
  virtual Result<void> copy(void *to, const void *from, size_t bytes) = 0;
  virtual Result<void> launch(XeDeviceKernel &kernel, const std::array<uint32_t, 3> &workgroups) = 0;
  // Waits for all that is queued. Where the driver says what a kernel did that it must not, that is an Error of the kernel.
  // After another Error the device is lost: every later call gives the same.
  virtual Result<void> finish() = 0;
  // How long the last kernel ran, from the device's own clock. After finish().
  virtual Result<double> kernelSeconds() = 0;
};

} // namespace xt
