#include "targets/tools/devices.h"

#include "ir/base/text.h"
#include "targets/run/memory.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace xt {
namespace {

std::string line(const DeviceText &device) {
  if (!device.problem.empty()) return str(device.name, device.name.empty() ? "" : ": ", "cannot be used: ", device.problem);
  std::vector<std::string> parts;
  if (device.software) parts.push_back("software");
  if (!device.driver.empty()) parts.push_back(device.driver);
  if (device.memoryBytes > 0) parts.push_back(bytesText(device.memoryBytes));
  if (!device.subgroupSizes.empty()) parts.push_back("subgroups of " + join(device.subgroupSizes, ", "));
  if (!device.compiledFor.empty()) parts.push_back("compiled for as " + device.compiledFor);
  std::string assembly = inlineAssemblyText(device.takesInlineAssembly, device.inlineAssembly);
  if (!assembly.empty()) parts.push_back(std::move(assembly));
  return str(device.name, parts.empty() ? "" : ": ", join(parts, ", "));
}

nlohmann::ordered_json json(const DeviceText &device) {
  return {{"name", device.name},
          {"driver", device.driver},
          {"memory_bytes", device.memoryBytes},
          {"subgroup_sizes", device.subgroupSizes},
          {"software", device.software},
          {"target", device.compiledFor},
          {"takes_inline_assembly", device.takesInlineAssembly},
          {"inline_assembly", device.inlineAssembly},
          {"choice", deviceChoiceName(device.choice)},
          {"on_demand", device.onDemand},
          {"problem", device.problem}};
}

} // namespace

std::string inlineAssemblyText(bool taken, const std::string &why) {
  if (why.empty()) return "";
  return taken ? "inline assembly" : str("no inline assembly (", why, ")");
}

int listDevices(const XtrunOptions &options) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::string text;
  size_t width = 0;
  for (Target *target : allTargets()) width = std::max(width, target->name().size());
  for (Target *target : allTargets()) {
    nlohmann::ordered_json item = {
        {"target", target->name()}, {"summary", target->summary()}, {"devices", nlohmann::ordered_json::array()}};
    text += str(target->name(), std::string(width + 2 - target->name().size(), ' '), target->summary(), "\n");
    Result<std::vector<DeviceText>> devices = target->devices();
    std::string indent(width + 4, ' ');
    if (!devices) {
      item["problem"] = devices.error().message;
      text += str(indent, "no device: ", devices.error().message, "\n");
    } else {
      for (const DeviceText &device : *devices) {
        item["devices"].push_back(json(device));
        text += str(indent, line(device), "\n");
      }
      if (devices->empty() && target->takesDeviceChoice()) text += str(indent, "no device\n");
    }
    all.push_back(std::move(item));
  }
  std::fputs(options.json ? (nlohmann::ordered_json{{"targets", all}}.dump(2) + "\n").c_str() : text.c_str(), stdout);
  return 0;
}

} // namespace xt
