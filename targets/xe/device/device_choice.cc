#include "targets/xe/device/device_choice.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

#include <optional>

namespace xt {
namespace {

std::string listed(std::span<const GpuDeviceInfo *const> devices) {
  std::vector<std::string> names;
  for (const GpuDeviceInfo *device : devices)
    names.push_back(device->problem.empty() ? str(device->name, " (", device->target->name, ")")
                                            : str(device->name, ", which cannot be used: ", device->problem));
  return names.empty() ? "no driver on this machine finds one" : str("there is ", join(names, ", "));
}

enum class Kind { IntelGpu, Software, Any };

std::optional<size_t> firstOf(std::span<const GpuDeviceInfo *const> devices, std::string_view target, Kind kind) {
  for (size_t i = 0; i < devices.size(); ++i) {
    const GpuDeviceInfo &device = *devices[i];
    bool fits = kind == Kind::Any || (kind == Kind::Software ? device.software : device.hardware);
    if (device.problem.empty() && fits && runsOn(device, target)) return i;
  }
  return std::nullopt;
}

std::string_view kindText(DeviceChoice choice) {
  switch (choice) {
  case DeviceChoice::Any: return "Intel GPU or software device";
  case DeviceChoice::Gpu: return "Intel GPU";
  case DeviceChoice::Soft: return "software device";
  case DeviceChoice::OpenCl: return "OpenCL device";
  }
  XT_UNREACHABLE("device choice");
}

} // namespace

bool runsOn(const GpuDeviceInfo &device, std::string_view target) {
  const TargetInfo *named = findTargetInfo(target);
  if (!named) return true; // "xe"
  if (named->cooperativeMatrices && !device.cooperativeMatrices) return false;
  return named->anyDevice || (device.target && device.target->name == target);
}

Result<size_t> chooseDevice(std::span<const GpuDeviceInfo *const> devices, std::string_view target, DeviceChoice choice) {
  std::optional<size_t> found;
  if (choice == DeviceChoice::OpenCl) found = firstOf(devices, target, Kind::Any);
  if (choice == DeviceChoice::Any || choice == DeviceChoice::Gpu) found = firstOf(devices, target, Kind::IntelGpu);
  if (!found && (choice == DeviceChoice::Any || choice == DeviceChoice::Soft)) found = firstOf(devices, target, Kind::Software);
  if (found) return *found;
  const TargetInfo *named = findTargetInfo(target);
  std::string of = !named                       ? ""
                   : named->cooperativeMatrices ? " with cooperative matrices"
                   : named->anyDevice           ? ""
                                                : str(" of the kind ", target);
  return Error::environment(str("no ", kindText(choice), of, ": ", listed(devices)));
}

} // namespace xt
