// Memory of a device, and the host's buffers in it during a launch, each between guard zones.
#pragma once
#include "ir/launch.h"
#include "targets/gpu/device.h"

namespace xt {

// Memory of a device that is freed when the object is destroyed. The device must outlive it.
class GpuMemory {
public:
  static Result<GpuMemory> make(GpuDevice &device, GpuDevice::Where where, size_t bytes);

  GpuMemory() = default;
  GpuMemory(GpuMemory &&other) noexcept;
  GpuMemory &operator=(GpuMemory &&other) noexcept;
  ~GpuMemory();

  std::byte *data() const { return data_; }
  size_t bytes() const { return bytes_; }

private:
  GpuDevice *device_ = nullptr;
  std::byte *data_ = nullptr;
  size_t bytes_ = 0;
};

// A range of host memory that a launch uses; views that overlap share one range.
struct HostRange {
  std::byte *begin = nullptr, *end = nullptr;
  std::vector<size_t> params; // parameters of the kernel whose buffers are in the range

  // Whether a byte of the range has this address; or, with `atEnd`, whether it is the address behind the last byte.
  bool holds(const void *address, bool atEnd) const { return atEnd ? address == end : address >= begin && address < end; }
};
// The ranges of these arguments (including addresses with a known buffer), in ascending order. Empty buffers have no range.
std::vector<HostRange> hostRanges(const std::vector<LaunchArg> &args);

// One range on the device with a guard zone on either side. A zone has a sixteenth of the size of the range, but at least
// kGuardBytes and at most kMostGuardBytes; alignment adds up to 63 bytes to the front zone.
class GuardedRange {
public:
  static constexpr int64_t kGuardBytes = 64 << 10, kMostGuardBytes = 1 << 20;
  static constexpr size_t kAlignment = 64; // host and device addresses are equal modulo this

  // `name`: the range's name in reports of accesses outside of it.
  static Result<GuardedRange> make(GpuDevice &device, HostRange host, const std::string &name = "");

  // Queues copies of the host's bytes and of the guard zones to the device, and back.
  Result<void> send(GpuDevice &device);
  Result<void> fetch(GpuDevice &device);
  // After a completed fetch: writes the bytes back to the host's memory.
  void give() const;
  // After a completed fetch: describes the bytes of a guard zone that changed, for example "3 bytes after its end changed,
  // the first 12 bytes after it"; "" if both zones are unchanged.
  std::string damage() const;

  const HostRange &host() const { return host_; }
  // The device address of a byte of the host that is in the range.
  uint64_t deviceAddress(const void *address) const;

private:
  int64_t bytes() const { return host_.end - host_.begin; }

  HostRange host_;
  int64_t front_ = 0, back_ = 0; // bytes of the guard zones
  GpuMemory device_, staging_;
};

} // namespace xt
