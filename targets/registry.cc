#include "targets/cpu/cpu_target.h"
#include "targets/interp/interp_target.h"
#include "targets/nv/nv_target.h"
#include "targets/target.h"
#include "targets/xe/xe_target.h"

namespace xt {

std::string_view deviceChoiceName(DeviceChoice choice) {
  switch (choice) {
  case DeviceChoice::Any: return "any";
  case DeviceChoice::Gpu: return "gpu";
  case DeviceChoice::Soft: return "soft";
  case DeviceChoice::OpenCl: return "opencl";
  }
  XT_UNREACHABLE("device choice");
}

std::optional<DeviceChoice> deviceChoiceNamed(std::string_view name) {
  for (DeviceChoice choice : kDeviceChoices)
    if (deviceChoiceName(choice) == name) return choice;
  return std::nullopt;
}

std::vector<Target *> allTargets() {
  std::vector<Target *> targets{&interpTarget(), &cpuTarget()};
  for (Target *target : xeTargets()) targets.push_back(target);
  for (Target *target : nvTargets()) targets.push_back(target);
  return targets;
}

Target *findTarget(std::string_view name) {
  for (Target *target : allTargets())
    if (target->name() == name) return target;
  return nullptr;
}

} // namespace xt
