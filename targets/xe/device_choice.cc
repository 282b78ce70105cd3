#include "targets/xe/device_choice.h"

#include "ir/base/text.h"

#include <optional>

namespace xt {
namespace {

std::string listed(std::span<const ZeDeviceInfo> devices) {
  std::vector<std::string> names;
  for (const ZeDeviceInfo &device : devices)
    names.push_back(device.problem.empty() ? str(device.name, " (", device.target->name, ")") : str(device.name, ", which cannot be used: ", device.problem));
  return names.empty() ? "no driver of this machine finds one" : str("there is ", join(names, ", "));
}

std::optional<size_t> firstOf(std::span<const ZeDeviceInfo> devices, std::string_view target, bool software) {
  for (size_t i = 0; i < devices.size(); ++i) {
    const ZeDeviceInfo &device = devices[i];
    bool kind = software ? device.software : device.intelGpu;
    if (device.problem.empty() && kind && runsOn(device, target)) return i;
  }
  return std::nullopt;
}

} // namespace

bool runsOn(const ZeDeviceInfo &device, std::string_view target) {
  return target == "xe" || target == "spirv" || (device.target && device.target->name == target);
}

Result<size_t> chooseDevice(std::span<const ZeDeviceInfo> devices, std::string_view target, DeviceChoice choice) {
  std::optional<size_t> found;
  if (choice != DeviceChoice::Soft) found = firstOf(devices, target, false);
  if (!found && choice != DeviceChoice::Gpu) found = firstOf(devices, target, true);
  if (found) return *found;
  std::string_view kind = choice == DeviceChoice::Soft ? "software device" : choice == DeviceChoice::Gpu ? "Intel GPU" : "Intel GPU or software device";
  std::string of = target == "xe" || target == "spirv" ? "" : str(" of the kind ", target);
  return Error::environment(str("no ", kind, of, ": ", listed(devices)));
}

} // namespace xt
