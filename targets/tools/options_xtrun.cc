// The command line of xtrun.
#include "targets/tools/options_common.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace xt {
namespace {

constexpr const char *kXtrunFormats = "text|json"; // the formats of messages

po::options_description runningOptions() {
  po::options_description running("Running");
  auto add = running.add_options();
  add("target", po::value<std::vector<std::string>>()->value_name("NAME[,NAME]"),
      "where to run: cpu (default), interp (the reference interpreter), xe (an Intel GPU), nv (an NVIDIA GPU), or a GPU by "
      "name such as xe-pvc; "
      "the results of several targets are also compared with each other");
  add("device", po::value<std::string>()->value_name("gpu|soft|opencl"),
      "device of a GPU target; default: a GPU that runs its code, or the software device if there is none; opencl: the first "
      "OpenCL "
      "device");
  add("spirv-extensions", po::value<std::string>()->value_name(kExtensions),
      "as in xtc: extensions that the SPIR-V for an Intel GPU may use; auto (default): inline-assembly where the device's "
      "driver "
      "takes it, otherwise none");
  add("devices", "list all targets and their devices, and exit");
  add("doctor",
      "check what each target needs on this machine, run a kernel on each, and report what is missing; accepts --json");
  add("test", po::value<std::vector<std::string>>()->composing()->value_name("NAME"), "run only tests with this name");
  add("data-dir", po::value<std::string>()->value_name("DIR"),
      "directory of the files of `load` and `save`; default: that of FILE");
  add("check", po::value<std::string>()->value_name("WORD[,WORD]"),
      "checks of the interpreter: bounds, race, uninit, divergence, or all of these; algebra: it computes with elements of a "
      "finite field instead of floats, so that checks are exact; without --target it runs on interp");
  add("threads", po::value<int>()->value_name("N"), "number of threads of the CPU target; default: all processors");
  add("opt-level,O", po::value<int>()->value_name("0..3"),
      "optimisation level: -O0 compiles faster and runs slower, with the same results; 1 to 3 are the same, and the default");
  add("size", po::value<std::vector<std::string>>()->composing()->value_name("NAME=NUMBER"),
      "give a size of tests this value, instead of the full and the small one");
  add("small", "use the small sizes of tests, if they have any");
  add("full", "use the full sizes, even on the interpreter");
  add("time-limit", po::value<std::string>()->value_name("SECONDS"), "stop after this time, with status 3");
  add("bench", "measure the launches of each test that passes: the median time and its 95% confidence interval");
  add("bench-time", po::value<std::string>()->value_name("SECONDS"), "with --bench: longest time per test; default: 30");
  add("roofline", po::value<std::string>()->value_name("FILE"),
      "with --bench: write a roofline chart (SVG): the rates of tests below the limits of the machine");
  add("compare", po::value<std::string>()->value_name("FILE"),
      "with --bench: compare with an earlier output of --bench --json");
  add("fail-if-slower", po::value<std::string>()->value_name("PERCENT"),
      "with --compare: fail if a median is slower by more than this, and the intervals do not overlap");
  add("tune",
      "find the fastest values of parameters for each test, among those that `param … in [...]` lists, and write them to "
      "FILE.tune, which later launches read");
  add("budget", po::value<std::string>()->value_name("SECONDS"),
      "with --tune: longest time per test, such as 90s; default: 60");
  add("mpi",
      "one rank of a program that mpirun has started, as in `mpirun -n 4 xtrun --mpi FILE`: tests divide arrays among the "
      "ranks, which communicate");
  add("json", "print the results as JSON");
  add("quiet,q", "print failures only");
  add("describe", "print the signature, grid, scope, layouts, memory and operation counts of the kernels; runs nothing");
  return running;
}

po::options_description launchingOptions() {
  po::options_description launching("Launching a kernel without a test block");
  auto addLaunch = launching.add_options();
  using Texts = std::vector<std::string>;
  addLaunch("kernel", po::value<std::string>()->value_name("NAME"), "the kernel of FILE to launch");
  addLaunch("arg", po::value<Texts>()->composing()->value_name("NAME=VALUE"),
            "an argument: x.npy, random:1024x512xf16, fill:0.5:1024x512 (or another initialiser of tests), or a number");
  addLaunch("out", po::value<Texts>()->composing()->value_name("NAME=FILE[:SHAPE]"), "save a buffer after the launch");
  addLaunch("expect", po::value<Texts>()->composing()->value_name("NAME=FILE"),
            "compare a buffer with a .npy file after the launch");
  addLaunch("grid", po::value<Texts>()->value_name("X[,Y,Z]"), "number of workgroups, for a kernel without a grid");
  addLaunch("rtol", po::value<std::string>(), "with --expect: relative tolerance; without a tolerance, all bits must be equal");
  addLaunch("atol", po::value<std::string>(), "with --expect: absolute tolerance");
  addLaunch("ulp", po::value<std::string>(), "with --expect: tolerance in units of the last place");
  return launching;
}

// Parses --bench and its options; returns the error, if any.
std::optional<std::string> readBench(const po::variables_map &map, XtrunOptions &options) {
  options.bench = map.count("bench") != 0;
  if (map.count("compare")) options.compare = map["compare"].as<std::string>();
  if (map.count("compare") && !options.bench) return "--compare needs --bench";
  if (map.count("bench-time") && !options.bench) return "--bench-time needs --bench";
  if (std::optional<std::string> wrong = readSeconds(map, "bench-time", options.benchSeconds)) return wrong;
  if (map.count("roofline")) options.roofline = map["roofline"].as<std::string>();
  if (map.count("roofline") && !options.bench) return "--roofline needs --bench";
  if (!map.count("fail-if-slower")) return std::nullopt;
  if (options.compare.empty()) return "--fail-if-slower needs --compare";
  std::string text = map["fail-if-slower"].as<std::string>();
  char *end = nullptr;
  double percent = std::strtod(text.c_str(), &end);
  bool number = end != text.c_str() && (*end == 0 || std::string_view(end) == "%") && percent >= 0 && percent <= 1e9;
  if (!number) return str("--fail-if-slower takes a percentage such as 5%, not `", text, "`");
  options.failIfSlower = percent / 100;
  return std::nullopt;
}

// Parses --tune and its options; returns the error, if any.
std::optional<std::string> readTune(const po::variables_map &map, XtrunOptions &options) {
  options.tune = map.count("tune") != 0;
  if (map.count("budget") && !options.tune) return "--budget needs --tune";
  for (const char *other : {"bench", "kernel", "arg", "check", "describe"})
    if (options.tune && map.count(other)) return str("--tune cannot be combined with --", other);
  for (const auto &[name, value] : options.defines)
    if (options.tune && value.find(',') != std::string::npos)
      return str("with --tune, -D ", name, " fixes one value; leave it out to try those that the file lists");
  return readSeconds(map, "budget", options.budget);
}

// Parses --mpi; returns the error, if any.
std::optional<std::string> readMpi(const po::variables_map &map, XtrunOptions &options) {
  options.mpi = map.count("mpi") != 0;
  for (const char *other : {"tune", "kernel", "arg", "check", "describe", "devices", "doctor"})
    if (options.mpi && map.count(other)) return str("--mpi cannot be combined with --", other);
  return std::nullopt;
}

// Parses --kernel and its options; returns the error, if any.
std::optional<std::string> readLaunch(const po::variables_map &map, XtrunOptions &options) {
  using Texts = std::vector<std::string>;
  if (map.count("kernel")) options.kernel = map["kernel"].as<std::string>();
  if (map.count("grid")) options.grid = splitCommas(map["grid"].as<Texts>());
  struct {
    const char *name;
    std::vector<std::pair<std::string, std::string>> &to;
  } lists[] = {{"arg", options.args}, {"out", options.outs}, {"expect", options.expects}};
  for (auto &list : lists) {
    if (!map.count(list.name)) continue;
    for (const std::string &text : map[list.name].as<Texts>()) {
      size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0) return str("--", list.name, " takes NAME=VALUE, not `", text, "`");
      std::string name = text.substr(text[0] == '%' ? 1 : 0, equals - (text[0] == '%' ? 1 : 0));
      for (const auto &[known, value] : list.to)
        if (known == name) return str("--", list.name, " ", name, " is given twice");
      list.to.emplace_back(name, text.substr(equals + 1));
    }
  }
  for (const char *name : {"rtol", "atol", "ulp"})
    if (map.count(name)) options.tolerances.emplace_back(name, map[name].as<std::string>());
  bool launches = map.count("kernel") || map.count("arg") || map.count("out") || map.count("expect");
  if (options.expects.empty() && !options.tolerances.empty()) return "--rtol, --atol and --ulp need --expect";
  if (!launches && !options.grid.empty()) return "--grid needs --kernel";
  if (launches && !options.tests.empty())
    return "--test cannot be combined with --kernel and --arg: run either a test block or a launch";
  if (launches && options.files.size() > 1) return "--kernel takes one file";
  return std::nullopt;
}

// Parses --target and --check, which decides the targets if none is given; returns the error, if any.
std::optional<std::string> readTargets(const po::variables_map &map, XtrunOptions &options) {
  options.targets =
      map.count("target") ? splitCommas(map["target"].as<std::vector<std::string>>()) : std::vector<std::string>{"cpu"};
  for (size_t i = 0; i < options.targets.size(); ++i) // a target given twice runs once
    options.targets.erase(
        std::remove(options.targets.begin() + static_cast<std::ptrdiff_t>(i) + 1, options.targets.end(), options.targets[i]),
        options.targets.end());
  if (options.targets.empty()) return "--target names no target";
  if (!map.count("check")) return std::nullopt;
  options.check = map["check"].as<std::string>();
  for (const std::string &word : splitCommas({options.check}))
    if (!addCheck(options.checks, word)) return str("--check takes ", join(checkWords(), ", "), ", not `", word, "`");
  if (!options.checks.any() && !options.checks.algebra) return str("--check takes ", join(checkWords(), ", "));
  if (!map.count("target")) options.targets = {"interp"};
  if (std::find(options.targets.begin(), options.targets.end(), "interp") == options.targets.end())
    return "--check needs the target interp, which --target does not list";
  if (options.checks.algebra && options.targets.size() > 1)
    return "--check=algebra can run only on the target interp, because other targets round values";
  return std::nullopt;
}

// Parses --size; returns the error, if any.
std::optional<std::string> readSizes(const po::variables_map &map, XtrunOptions &options) {
  if (!map.count("size")) return std::nullopt;
  for (const std::string &text : map["size"].as<std::vector<std::string>>()) {
    size_t begin = text[0] == '$' ? 1 : 0, equals = std::min(text.find('='), text.size());
    int64_t value = 0;
    const char *end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data() + std::min(equals + 1, text.size()), end, value);
    if (equals <= begin || error != std::errc() || rest != end || value < 0)
      return str("--size takes NAME=NUMBER, such as M=512, not `", text, "`");
    std::string name = text.substr(begin, equals - begin);
    if (std::ranges::find(options.sizes, name, &std::pair<std::string, int64_t>::first) != options.sizes.end())
      return str("--size ", name, " is given twice");
    options.sizes.emplace_back(name, value);
  }
  return std::nullopt;
}

// Parses how and what to run; returns the error, if any.
std::optional<std::string> readRunning(const po::variables_map &map, XtrunOptions &options) {
  if (map.count("test")) options.tests = map["test"].as<std::vector<std::string>>();
  if (map.count("data-dir")) options.dataDir = map["data-dir"].as<std::string>();
  if (map.count("device")) {
    std::string device = map["device"].as<std::string>();
    std::optional<DeviceChoice> choice = deviceChoiceNamed(device);
    if (!choice) return "--device must be gpu, soft or opencl, not `" + device + "`";
    options.device = *choice;
  }
  options.listDevices = map.count("devices") != 0;
  options.doctor = map.count("doctor") != 0;
  if (map.count("threads")) options.threads = map["threads"].as<int>();
  if (map.count("threads") && options.threads < 1) return "--threads must be at least 1";
  if (map.count("opt-level")) {
    int level = map["opt-level"].as<int>();
    if (level < 0 || level > 3) return str("-O takes 0 to 3, not ", level);
    options.optimise = level > 0;
  }
  if (map.count("small")) options.small = true;
  if (map.count("full")) options.small = false;
  if (std::optional<std::string> wrong = readSizes(map, options)) return wrong;
  if (std::optional<std::string> wrong = readSeconds(map, "time-limit", options.timeLimit)) return wrong;
  if (map.count("json")) options.json = true;
  options.quiet = map.count("quiet") != 0;
  options.describe = map.count("describe") != 0;
  return readExtensions(map, options.extensions);
}

} // namespace

ParsedCommand<XtrunOptions> parseXtrunCommand(int argc, const char *const *argv) {
  auto ended = [](EndOfCommand end) { return ParsedCommand<XtrunOptions>{{}, std::move(end.text), end.status}; };
  po::options_description visible(100, 40);
  visible.add(runningOptions()).add(launchingOptions()).add(commonOptions(kXtrunFormats)).add(passOptions());
  po::variables_map map;
  if (auto done = readCommand(
          std::vector<std::string>(argv + std::min(argc, 1), argv + argc), "xtrun",
          "usage: xtrun [options] FILE.xt…\n\nCompiles .xt files, runs their tests and verifies the results.\n",
          "\nExit status: 0 all tests passed, 1 a check failed, 2 a file does not compile, 3 a device or a file failed or "
          "the\ntime limit expired, 4 nothing was run, 64 wrong usage, 70 a bug in the compiler.\n"
          "XT_CACHE_DIR: directory of compiled code (default ~/.cache/xt; empty: no cache). XT_CACHE_LIMIT: its largest "
          "size,\nsuch as 64M (default 256M; 0: no cache). XT_CRASH_DIR: directory of crash reports (default: the "
          "working\ndirectory; empty: no reports).\n",
          visible, map))
    return ended(*done);
  XtrunOptions options;
  std::optional<std::string> wrong = readCommon(map, kXtrunFormats, options);
  for (auto read : {readTargets, readRunning, readBench, readTune, readMpi, readLaunch})
    if (!wrong) wrong = read(map, options);
  if (wrong) return ended(usageError("xtrun", *wrong));
  if (options.files.empty() && !options.listDevices && !options.doctor) return ended(usageError("xtrun", "no input file"));
  return {options, {}, 0};
}

} // namespace xt
