#include "targets/tools/repeat_command.h"

#include "ir/base/text.h"
#include "targets/target.h"
#include "targets/tools/launch_text.h"
#include "targets/tools/tool_process.h"

namespace xt {

std::string repeatCommand(const XtrunOptions &options, const std::string &file, const std::string &test,
                          const std::string &target, std::optional<bool> small, int ranks) {
  std::string command =
      str(ranks > 1 ? str("mpirun -n ", ranks, " ") : "", "xtrun", ranks ? " --mpi" : "", " --target=", target);
  auto add = [&](std::string_view option, const std::string &value) { command += str(" ", option, " ", shellQuoted(value)); };
  if (!launchesKernel(options)) add("--test", test);
  if (!options.kernel.empty()) add("--kernel", options.kernel);
  for (const auto &[option, list] :
       {std::pair("--arg", &options.args), std::pair("--out", &options.outs), std::pair("--expect", &options.expects)})
    for (const auto &[name, value] : *list) add(option, name + "=" + value);
  if (!options.grid.empty()) add("--grid", join(options.grid, ","));
  for (const auto &[name, value] : options.tolerances) add("--" + name, value);
  for (const auto &[name, value] : options.defines) add("-D", name + "=" + value);
  for (const auto &[name, value] : options.sizes) add("--size", str(name, "=", value));
  if (!options.dataDir.empty()) add("--data-dir", options.dataDir);
  const Target *runs = findTarget(target);
  if (small && runs && *small != runs->wantsSmallSizes(options.device)) command += *small ? " --small" : " --full";
  if (!options.check.empty() && target == "interp") command += " --check=" + options.check;
  if (runs && runs->takesDeviceChoice() && options.device != DeviceChoice::Any)
    command += str(" --device=", deviceChoiceName(options.device));
  if (options.extensions != SpirvExtensions::Auto && runs && runs->takesIntelExtensions())
    command += str(" --spirv-extensions=", extensionsName(options.extensions));
  if (!options.optimise) command += " -O0";
  if (options.threads) command += str(" --threads ", options.threads);
  return command + " " + shellQuoted(file);
}

std::string raceCommand(const XtrunOptions &options, const std::string &file, const std::string &test, int ranks) {
  XtrunOptions checking = options;
  checking.check = "race";
  return repeatCommand(checking, file, test, "interp", std::nullopt, ranks);
}

} // namespace xt
