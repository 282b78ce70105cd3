#include "targets/xe/device_limits.h"

#include <algorithm>

namespace xt {

DeviceLimits::DeviceLimits(const TargetInfo &generic, const GpuDeviceInfo &device) : info_(generic) {
  auto has = [](std::span<const int64_t> sizes, int64_t size) { return std::ranges::find(sizes, size) != sizes.end(); };
  for (int64_t size : generic.subgroupSizes)
    if (has(device.subgroupSizes, size)) sizes_.push_back(size);
  for (int64_t size : device.subgroupSizes)
    if (!has(sizes_, size)) sizes_.push_back(size);
  if (!sizes_.empty()) info_.subgroupSizes = sizes_;
  if (device.slmBytes > 0) info_.slmBytes = device.slmBytes;
  if (device.lanesPerWorkgroup > 0) info_.lanesPerWorkgroup = device.lanesPerWorkgroup;
  info_.f64 = device.f64;
}

} // namespace xt
