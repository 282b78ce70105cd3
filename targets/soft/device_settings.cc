#include "targets/soft/device_settings.h"

#include "ir/base/text.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace xt::soft {
namespace {

struct DeviceData {
  std::string_view name, target, rules;
  uint32_t deviceId, slices, subslicesPerSlice, eusPerSubslice, clockMhz;
};

// The data of the Data Center GPU Max 1550 (one tile), Arc B580 and Arc A770.
constexpr DeviceData kDevices[] = {
    {"pvc", "xe-pvc", "PVC", 0x0bd5, 1, 64, 8, 1600},
    {"bmg", "xe-bmg", "BMG", 0xe20b, 5, 4, 8, 2850},
    {"dg2", "xe-dg2", "DG2", 0x56a0, 8, 4, 16, 2400},
};

// Splits "pvc,dg2".
std::vector<std::string> namesIn(std::string_view text) {
  std::vector<std::string> names;
  for (size_t comma; (comma = text.find(',')) != std::string_view::npos; text.remove_prefix(comma + 1))
    names.emplace_back(text.substr(0, comma));
  names.emplace_back(text);
  return names;
}

} // namespace

namespace {

// The threads that run workgroups: XT_SOFT_THREADS, by default all of the machine's.
uint32_t threadsFromEnvironment() {
  const char *threads = std::getenv("XT_SOFT_THREADS");
  return threads ? static_cast<uint32_t>(std::clamp(std::atoi(threads), 1, 1024))
                 : std::max(1u, std::thread::hardware_concurrency());
}

} // namespace

DeviceSettings nvidiaSettings(const TargetInfo &target) {
  DeviceSettings settings{&target, str("xt software device (", target.name, " rules)")};
  settings.threads = threadsFromEnvironment();
  settings.watchesMemory = true;
  const char *copies = std::getenv("XT_SOFT_COPIES");
  settings.copiesAtOnce = copies && std::string_view(copies) == "at_once";
  if (const char *file = std::getenv("XT_SOFT_MUTATIONS")) settings.mutations = file;
  settings.leavesCallsOut = !settings.mutations.empty();
  const char *watched = std::getenv("XT_SOFT_WATCH");
  settings.watchesGlobal = settings.leavesCallsOut || (watched && std::string_view(watched) == "global");
  return settings;
}

Result<DeviceSettings> deviceSettings(std::string_view name) {
  std::string known;
  for (const DeviceData &row : kDevices) {
    known += str(known.empty() ? "" : ", ", row.name);
    if (row.name != name) continue;
    return DeviceSettings{findTargetInfo(row.target),
                          str("xt software device (", row.rules, " rules)"),
                          row.deviceId,
                          row.slices,
                          row.subslicesPerSlice,
                          row.eusPerSubslice,
                          8,
                          row.clockMhz,
                          false,
                          false,
                          std::max(1u, std::thread::hardware_concurrency())};
  }
  return Error::environment(str("XT_SOFT_DEVICE is `", name, "`; the software device can be ", known));
}

Result<std::vector<DeviceSettings>> devicesFromEnvironment() {
  const char *given = std::getenv("XT_SOFT_DEVICE");
  std::vector<std::string> names;
  for (const DeviceData &row : kDevices) names.emplace_back(row.name);
  if (given && *given) names = namesIn(given);
  std::vector<DeviceSettings> devices;
  for (const std::string &name : names) {
    Result<DeviceSettings> settings = deviceSettings(name);
    if (!settings) return settings.error();
    settings->threads = threadsFromEnvironment();
    if (const char *lacks = std::getenv("XT_SOFT_LACKS")) settings->lacks = namesIn(lacks);
    devices.push_back(std::move(*settings));
  }
  return devices;
}

} // namespace xt::soft
