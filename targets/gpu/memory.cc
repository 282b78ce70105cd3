#include "targets/gpu/memory.h"

#include "ir/base/text.h"
#include "ir/interp/launch_state.h"
#include "targets/guard/guard.h"

#include <algorithm>
#include <cstring>

namespace xt {
namespace {

constexpr uint64_t kSeed = 0x5eed; // seed of the guard bytes; the host's buffers use other seeds

} // namespace

Result<GpuMemory> GpuMemory::make(GpuDevice &device, GpuDevice::Where where, size_t bytes) {
  Result<std::byte *> data = device.allocate(where, bytes, GuardedRange::kAlignment);
  if (!data) return data.error();
  GpuMemory memory;
  memory.device_ = &device;
  memory.data_ = *data;
  memory.bytes_ = bytes;
  return memory;
}

GpuMemory::GpuMemory(GpuMemory &&other) noexcept { *this = std::move(other); }

GpuMemory &GpuMemory::operator=(GpuMemory &&other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

GpuMemory::~GpuMemory() {
  if (data_) device_->release(data_);
}

std::vector<HostRange> hostRanges(const std::vector<LaunchArg> &args) {
  std::vector<HostRange> ranges;
  for (size_t i = 0; i < args.size(); ++i) {
    MemoryRange bytes = bytesOf(args[i].buffer);
    auto *begin = static_cast<std::byte *>(args[i].buffer.data); // unlike bytesOf(), the buffer gives access for writing
    if (bytes.low == bytes.high) continue;
    begin += bytes.low - static_cast<const unsigned char *>(args[i].buffer.data);
    ranges.push_back({begin, begin + (bytes.high - bytes.low), {i}});
  }
  std::ranges::stable_sort(ranges, {}, &HostRange::begin);
  std::vector<HostRange> merged;
  for (HostRange &range : ranges) {
    if (merged.empty() || range.begin >= merged.back().end) {
      merged.push_back(std::move(range));
      continue;
    }
    merged.back().end = std::max(merged.back().end, range.end);
    merged.back().params.push_back(range.params[0]);
  }
  return merged;
}

Result<GuardedRange> GuardedRange::make(GpuDevice &device, HostRange host, const std::string &name) {
  GuardedRange range;
  range.host_ = std::move(host);
  auto align = static_cast<int64_t>(kAlignment);
  range.back_ = std::clamp(range.bytes() / 16 / align * align, kGuardBytes, kMostGuardBytes);
  range.front_ = range.back_ + static_cast<int64_t>(reinterpret_cast<uintptr_t>(range.host_.begin) % kAlignment);
  auto bytes = static_cast<size_t>(range.front_ + range.bytes() + range.back_);
  Result<GpuMemory> onDevice = GpuMemory::make(device, GpuDevice::Where::Device, bytes);
  if (!onDevice) return onDevice.error();
  range.device_ = std::move(*onDevice);
  device.tellBuffer(range.device_.data(), static_cast<size_t>(range.front_), static_cast<size_t>(range.bytes()), name);
  Result<GpuMemory> staging = GpuMemory::make(device, GpuDevice::Where::Host, bytes);
  if (!staging) return staging.error();
  range.staging_ = std::move(*staging);
  return range;
}

Result<void> GuardedRange::send(GpuDevice &device) {
  std::byte *data = staging_.data() + front_;
  fillGuard(data, -front_, 0, kSeed);
  std::memcpy(data, host_.begin, static_cast<size_t>(bytes()));
  fillGuard(data, bytes(), bytes() + back_, kSeed);
  return device.copy(device_.data(), staging_.data(), staging_.bytes());
}

Result<void> GuardedRange::fetch(GpuDevice &device) { return device.copy(staging_.data(), device_.data(), staging_.bytes()); }

void GuardedRange::give() const { std::memcpy(host_.begin, staging_.data() + front_, static_cast<size_t>(bytes())); }

std::string GuardedRange::damage() const {
  const std::byte *data = staging_.data() + front_;
  if (auto found = checkGuard(data, bytes(), bytes() + back_, kSeed))
    return str(counted(found->count, "byte"), " after its end changed, the first ", counted(found->first - bytes(), "byte"),
               " after it");
  if (auto found = checkGuard(data, -front_, 0, kSeed))
    return str(counted(found->count, "byte"), " before its start changed, the last ", counted(-found->last, "byte"),
               " before it");
  return "";
}

uint64_t GuardedRange::deviceAddress(const void *address) const {
  auto offset = static_cast<const std::byte *>(address) - host_.begin;
  return reinterpret_cast<uintptr_t>(device_.data()) + static_cast<uint64_t>(front_ + offset);
}

} // namespace xt
