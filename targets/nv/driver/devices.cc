#include "targets/nv/driver/devices.h"

#include "ir/base/text.h"
#include "targets/nv/library/architecture.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace xt {
namespace {

std::string versionText(int version) { return str(version / 1000, ".", version % 1000 / 10); }
std::string capabilityText(int capability) { return str(capability / 10, ".", capability % 10); }

// The target whose code is the best that a device runs; "nv" runs on all.
const TargetInfo *targetOf(int capability) {
  const TargetInfo *best = nullptr;
  for (const TargetInfo &target : targetInfos(GpuFamily::Nvidia))
    if (computeCapabilityOf(target) <= capability && (!best || computeCapabilityOf(target) >= computeCapabilityOf(*best)))
      best = &target;
  return best;
}

// Queries the properties of one device. A failing call is an Error with the name of the call.
class DeviceQuery {
public:
  DeviceQuery(const CuFunctions &cu, CuDeviceInfo &info) : cu_(cu), info_(info) {}

  Result<void> ask() {
    std::array<char, 256> name{};
    if (CuResult r = cu_.cuDeviceGetName(name.data(), static_cast<int>(name.size()), info_.device); r != kCuSuccess)
      return cuError(cu_, "cuDeviceGetName", r);
    info_.name.assign(name.data(), strnlen(name.data(), name.size()));
    size_t bytes = 0;
    if (CuResult r = cu_.cuDeviceTotalMem_v2(&bytes, info_.device); r != kCuSuccess) return cuError(cu_, "cuDeviceTotalMem", r);
    info_.memoryBytes = static_cast<int64_t>(bytes);
    info_.capability = static_cast<int>(10 * get(kCuCapabilityMajor) + get(kCuCapabilityMinor));
    info_.multiprocessors = get(kCuMultiprocessors);
    info_.lanesPerWorkgroup = get(kCuMostThreads);
    info_.slmBytes = get(kCuMostShared);
    info_.mostWorkgroups = {static_cast<uint64_t>(get(kCuMostBlocksX)), static_cast<uint64_t>(get(kCuMostBlocksY)),
                            static_cast<uint64_t>(get(kCuMostBlocksZ))};
    bool unified = get(kCuUnifiedAddressing) != 0, prohibited = get(kCuComputeMode) == kCuModeProhibited;
    if (!result_) return result_;
    if (!unified) return Error::environment("the device has no unified addressing");
    if (prohibited) return Error::environment("the device is set up to run no kernels (compute mode `prohibited`)");
    return {};
  }

private:
  int64_t get(CuDeviceAttribute attribute) {
    int value = 0;
    CuResult r = cu_.cuDeviceGetAttribute(&value, attribute, info_.device);
    if (r != kCuSuccess && result_) result_ = cuError(cu_, str("cuDeviceGetAttribute ", static_cast<int>(attribute)), r);
    return value;
  }

  const CuFunctions &cu_;
  CuDeviceInfo &info_;
  Result<void> result_;
};

std::string problemOf(const CuDeviceInfo &info, int version) {
  if (!info.target)
    return str("its compute capability is ", capabilityText(info.capability), "; kernels need 8.0 (Ampere) or later");
  if (version < kFirstCudaVersion)
    return str("its driver is that of CUDA ", versionText(version), "; kernels need that of CUDA ",
               versionText(kFirstCudaVersion), " (version 550) or later");
  return "";
}

} // namespace

Result<std::vector<CuDeviceInfo>> listCuDevices(const CuFunctions &cu) {
  constexpr int64_t kLanes = 32;
  std::vector<CuDeviceInfo> infos;
  CuResult started = cu.cuInit(0);
  if (started == kCuNoDevice) return infos;
  if (started != kCuSuccess) return cuError(cu, "cuInit", started);
  int version = 0, count = 0;
  if (CuResult r = cu.cuDriverGetVersion(&version); r != kCuSuccess) return cuError(cu, "cuDriverGetVersion", r);
  if (CuResult r = cu.cuDeviceGetCount(&count); r != kCuSuccess) return cuError(cu, "cuDeviceGetCount", r);
  for (int i = 0; i < count; ++i) {
    CuDeviceInfo info;
    info.name = str("device ", i);
    info.driverVersion = versionText(version);
    info.hardware = true;
    info.f64 = true;
    info.subgroupSizes = {kLanes};
    CuResult found = cu.cuDeviceGet(&info.device, i);
    Result<void> asked = found == kCuSuccess ? DeviceQuery(cu, info).ask() : cuError(cu, "cuDeviceGet", found);
    info.target = targetOf(info.capability);
    info.problem = asked ? problemOf(info, version) : asked.error().message;
    infos.push_back(std::move(info));
  }
  return infos;
}

bool runsOn(const CuDeviceInfo &device, const TargetInfo &target) {
  return device.problem.empty() && device.capability >= computeCapabilityOf(target) && device.slmBytes >= target.slmBytes;
}

Result<const CuDeviceInfo *> cuDeviceOf(std::span<const CuDeviceInfo> devices, CuDeviceId number, const TargetInfo &target) {
  auto found = std::ranges::find(devices, number, &CuDeviceInfo::device);
  if (found == devices.end()) return Error::environment(str("NVIDIA's driver has no device ", number));
  if (!found->problem.empty()) return Error::environment(str(found->name, " cannot be used: ", found->problem));
  if (!runsOn(*found, target)) return Error::environment(str(found->name, " does not run code for ", target.name));
  return &*found;
}

} // namespace xt
