#include "targets/xe/level_zero/memory.h"

#include "ir/base/text.h"
#include "ir/interp/launch_state.h"
#include "targets/run/guard.h"

#include <algorithm>
#include <cstring>

namespace xt {
namespace {

constexpr uint64_t kSeed = 0x5eed; // of the guard bytes; those of the host's buffers have others

std::string countText(int64_t n) { return str(n, n == 1 ? " byte" : " bytes"); }

} // namespace

Result<ZeMemory> ZeMemory::make(const ZeDevice &device, Where where, size_t bytes) {
  ZeMemory memory;
  memory.ze_ = &device.functions();
  memory.context_ = device.context();
  memory.bytes_ = bytes;
  ze_device_mem_alloc_desc_t onDevice{};
  onDevice.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
  ze_host_mem_alloc_desc_t onHost{};
  onHost.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
  void *data = nullptr;
  bool here = where == Where::Device;
  ze_result_t result =
      here ? memory.ze_->zeMemAllocDevice(memory.context_, &onDevice, bytes, GuardedRange::kAlignment, device.info().device, &data)
           : memory.ze_->zeMemAllocHost(memory.context_, &onHost, bytes, GuardedRange::kAlignment, &data);
  if (result != ZE_RESULT_SUCCESS)
    return zeError(str(here ? "zeMemAllocDevice" : "zeMemAllocHost", " of ", bytes, " bytes on ", device.info().name), result);
  memory.data_ = static_cast<std::byte *>(data);
  return memory;
}

ZeMemory::ZeMemory(ZeMemory &&other) noexcept { *this = std::move(other); }

ZeMemory &ZeMemory::operator=(ZeMemory &&other) noexcept {
  std::swap(ze_, other.ze_);
  std::swap(context_, other.context_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

ZeMemory::~ZeMemory() {
  if (data_) ze_->zeMemFree(context_, data_);
}

std::vector<HostRange> hostRanges(const std::vector<LaunchArg> &args) {
  std::vector<HostRange> ranges;
  for (size_t i = 0; i < args.size(); ++i) {
    MemoryRange bytes = bytesOf(args[i].buffer);
    auto *begin = static_cast<std::byte *>(args[i].buffer.data); // the same memory, which the host may write
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

Result<GuardedRange> GuardedRange::make(ZeDevice &device, HostRange host, const std::string &name) {
  GuardedRange range;
  range.host_ = std::move(host);
  auto align = static_cast<int64_t>(kAlignment);
  range.back_ = std::clamp(range.bytes() / 16 / align * align, kGuardBytes, kMostGuardBytes);
  range.front_ = range.back_ + static_cast<int64_t>(reinterpret_cast<uintptr_t>(range.host_.begin) % kAlignment);
  auto bytes = static_cast<size_t>(range.front_ + range.bytes() + range.back_);
  Result<ZeMemory> onDevice = ZeMemory::make(device, ZeMemory::Where::Device, bytes);
  if (!onDevice) return onDevice.error();
  range.device_ = std::move(*onDevice);
  device.tellBuffer(range.device_.data(), static_cast<size_t>(range.front_), static_cast<size_t>(range.bytes()), name);
  Result<ZeMemory> staging = ZeMemory::make(device, ZeMemory::Where::Host, bytes);
  if (!staging) return staging.error();
  range.staging_ = std::move(*staging);
  return range;
}

Result<void> GuardedRange::send(ZeDevice &device) {
  std::byte *data = staging_.data() + front_;
  fillGuard(data, -front_, 0, kSeed);
  std::memcpy(data, host_.begin, static_cast<size_t>(bytes()));
  fillGuard(data, bytes(), bytes() + back_, kSeed);
  return device.copy(device_.data(), staging_.data(), staging_.bytes());
}

Result<void> GuardedRange::fetch(ZeDevice &device) {
  return device.copy(staging_.data(), device_.data(), staging_.bytes());
}

void GuardedRange::give() const { std::memcpy(host_.begin, staging_.data() + front_, static_cast<size_t>(bytes())); }

std::string GuardedRange::damage() const {
  const std::byte *data = staging_.data() + front_;
  if (auto found = checkGuard(data, bytes(), bytes() + back_, kSeed))
    return str(countText(found->count), " after its end changed, the first ", countText(found->first - bytes()), " after it");
  if (auto found = checkGuard(data, -front_, 0, kSeed))
    return str(countText(found->count), " before its start changed, the last ", countText(-found->last), " before it");
  return "";
}

uint64_t GuardedRange::deviceAddress(const void *address) const {
  auto offset = static_cast<const std::byte *>(address) - host_.begin;
  return reinterpret_cast<uintptr_t>(device_.data()) + static_cast<uint64_t>(front_ + offset);
}

} // namespace xt
