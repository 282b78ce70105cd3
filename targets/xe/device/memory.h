// Memory of a device, and what a launch keeps there: the host's buffers, each between guard zones.
#pragma once
#include "ir/launch.h"
#include "targets/xe/device/device.h"

namespace xt {

// Freed with its owner. The device outlives it.
class XeMemory {
public:
  static Result<XeMemory> make(XeDevice &device, XeDevice::Where where, size_t bytes);

  XeMemory() = default;
  XeMemory(XeMemory &&other) noexcept;
  XeMemory &operator=(XeMemory &&other) noexcept;
  ~XeMemory();

  std::byte *data() const { return data_; }
  size_t bytes() const { return bytes_; }

private:
  XeDevice *device_ = nullptr;
  std::byte *data_ = nullptr;
  size_t bytes_ = 0;
};

// Bytes of the host that a launch uses; views that share memory share one range.
struct HostRange {
  std::byte *begin = nullptr, *end = nullptr;
  std::vector<size_t> params; // of the kernel, whose buffers lie in it
};
// The ranges of these arguments (addresses with a known buffer among them), ascending. Buffers without elements have none.
std::vector<HostRange> hostRanges(const std::vector<LaunchArg> &args);

// One range on the device, with a guard zone on either side that is at least kGuardBytes and a sixteenth of it.
class GuardedRange {
public:
  static constexpr int64_t kGuardBytes = 64 << 10, kMostGuardBytes = 1 << 20;
  static constexpr size_t kAlignment = 64; // a range begins where the host's does, modulo this

  // `name`: how devices that report accesses beside the range call it.
  static Result<GuardedRange> make(XeDevice &device, HostRange host, const std::string &name = "");

  // Queues the copy of the host's bytes and of the guard zones to the device, and of all of it back.
  Result<void> send(XeDevice &device);
  Result<void> fetch(XeDevice &device);
  // After a fetch that has ended: gives the host its bytes.
  void give() const;
  // … and what became of the guard zones: "3 bytes after its end were changed, the nearest 12 bytes from it"; "": nothing.
  std::string damage() const;

  const HostRange &host() const { return host_; }
  bool holds(const void *address) const { return address >= host_.begin && address <= host_.end; }
  // The device's address of a byte of the host's, which the range holds.
  uint64_t deviceAddress(const void *address) const;

private:
  int64_t bytes() const { return host_.end - host_.begin; }

  HostRange host_;
  int64_t front_ = 0, back_ = 0; // bytes of the guard zones
  XeMemory device_, staging_;
};

} // namespace xt
