#include "targets/api/targets.h"

#include "ir/base/text.h"

using namespace xt;

namespace xt {

Failure readTarget(const char *name, const char *argument, Target *&out) {
  out = findTarget(name ? name : "cpu");
  if (out) return {};
  std::vector<std::string_view> names;
  for (Target *known : allTargets()) names.push_back(known->name());
  return {XT_NOT_FOUND, str("unknown target `", name, "`; known are ", join(names, ", ")), argument};
}

} // namespace xt

namespace {

// The texts belong to `text` and to the process.
xt_device deviceOf(const DeviceText &text) {
  xt_device device = XT_INIT(xt_device);
  device.name = text.name.c_str();
  device.driver = text.driver.c_str();
  device.choice = text.choice == DeviceChoice::Any ? nullptr : deviceChoiceName(text.choice).data();
  device.hardware = text.compiledFor.c_str();
  device.problem = text.problem.c_str();
  device.memory_bytes = text.memoryBytes;
  device.software = text.software;
  return device;
}

} // namespace

const char *xt_target_name(size_t n) {
  std::vector<Target *> targets = allTargets();
  return n < targets.size() ? targets[n]->name().data() : nullptr; // names are literals or live as long as the process
}

const char *xt_target_summary(size_t n) {
  std::vector<Target *> targets = allTargets();
  return n < targets.size() ? targets[n]->summary().data() : nullptr;
}

xt_status xt_target_devices(const char *target, xt_found_device found, void *user, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (!found) return invalid("found", "is NULL");
    Target *known = nullptr;
    if (Failure bad = readTarget(target, "target", known)) return bad;
    Result<std::vector<DeviceText>> devices = known->devices();
    if (!devices) return {XT_ENVIRONMENT, devices.error().message};
    for (const DeviceText &text : *devices) {
      const xt_device device = deviceOf(text);
      found(user, &device);
    }
    return {};
  });
}
