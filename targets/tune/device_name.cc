#include "targets/tune/device_name.h"

#include "ir/base/text.h"

namespace xt {

Result<std::string> deviceName(Target &target, DeviceChoice choice) {
  Result<std::vector<DeviceText>> devices = target.devices();
  if (!devices) return devices.error();
  if (devices->empty()) return std::string(target.name());
  std::string problem;
  for (const DeviceText &device : *devices) {
    bool chosen = choice == DeviceChoice::Any ? !device.onDemand : device.choice == choice;
    if (chosen && device.problem.empty()) return device.name;
    if (chosen && problem.empty()) problem = device.problem;
  }
  return Error::environment(
      str("no device of the target ", target.name(), " can be used", problem.empty() ? "" : ": ", problem));
}

} // namespace xt
