#include "targets/tools/repeat_command.h"

#include "ir/base/text.h"
#include "targets/target.h"
#include "targets/tools/launch_text.h"

namespace xt {
namespace {

std::string quoted(const std::string &text) {
  constexpr const char *kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,+:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

} // namespace

std::string repeatCommand(const XtrunOptions &options, const std::string &file, const std::string &test,
                          const std::string &target, std::optional<bool> small) {
  std::string command = str("xtrun --target=", target);
  auto add = [&](std::string_view option, const std::string &value) {
    command += str(" ", option, " ", quoted(value));
  };
  if (!launchesKernel(options)) add("--test", test);
  if (!options.kernel.empty()) add("--kernel", options.kernel);
  for (const auto &[option, list] :
       {std::pair("--arg", &options.args), std::pair("--out", &options.outs), std::pair("--expect", &options.expects)})
    for (const auto &[name, value] : *list) add(option, name + "=" + value);
  if (!options.grid.empty()) add("--grid", join(options.grid, ","));
  for (const auto &[name, value] : options.tolerances) add("--" + name, value);
  for (const auto &[name, value] : options.defines) add("-D", name + "=" + value);
  if (!options.dataDir.empty()) add("--data-dir", options.dataDir);
  const Target *runs = findTarget(target);
  if (small && runs && *small != runs->wantsSmallSizes(options.device)) command += *small ? " --small" : " --full";
  if (!options.check.empty() && target == "interp") command += " --check=" + options.check;
  if (runs && runs->takesDeviceChoice() && options.device != DeviceChoice::Any)
    command += str(" --device=", options.device == DeviceChoice::Gpu ? "gpu" : "soft");
  if (!options.optimise) command += " -O0";
  if (options.threads) command += str(" --threads ", options.threads);
  return command + " " + quoted(file);
}

} // namespace xt
