#include "targets/tools/options.h"

#include "ir/base/text.h"
#include "targets/tools/tool_process.h"
#include "targets/tools/version.h"

#include <boost/program_options.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace xt {
namespace {

namespace po = boost::program_options;

// Options for the format of messages. xtc's plain `--format` rewrites files, hence the second name.
constexpr const char *kMessageOptions[] = {"format", "diagnostics-format"};
constexpr const char *kExtensions = "intel|none"; // of --spirv-extensions
constexpr const char *kXtcFormats = "text|json|sarif", *kXtrunFormats = "text|json";

// Whether `word` is one of `words`, which are separated by '|'.
bool isOneOf(std::string_view word, std::string_view words) {
  for (size_t begin = 0; begin <= words.size();) {
    size_t end = std::min(words.find('|', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

// Rewrites arguments that Boost would misread. `--format` alone formats files; `--format=json`, and also `--format
// json`, select the format of messages.
std::vector<std::string> plainArguments(int argc, const char *const *argv) {
  std::vector<std::string> out;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--format" && i + 1 < argc && isOneOf(argv[i + 1], kXtcFormats))
      word += str("=", argv[++i]);
    else if (word == "--format")
      word = "--format-files";
    else if (word == "--run=")
      word = "--run=,"; // no passes; Boost does not accept an empty value
    out.push_back(std::move(word));
  }
  return out;
}

po::options_description commonOptions(const char *formats) {
  po::options_description options("Input and messages");
  auto add = options.add_options();
  add("define,D", po::value<std::vector<std::string>>()->value_name("NAME=VALUE"), "set a parameter of the file");
  add("format", po::value<std::string>()->value_name(formats), "format of messages; default: text");
  add("diagnostics-format", po::value<std::string>()->value_name(formats), "the same as --format");
  add("color", po::value<std::string>()->value_name("auto|always|never"), "colours in messages; default: auto");
  add("help,h", "print this and exit");
  add("version", "print the version and exit");
  return options;
}

// --spirv-extensions; gives what is wrong.
std::optional<std::string> readExtensions(const po::variables_map &map, bool &intel) {
  if (!map.count("spirv-extensions")) return std::nullopt;
  const std::string &text = map["spirv-extensions"].as<std::string>();
  intel = text == "intel";
  if (!isOneOf(text, kExtensions)) return str("--spirv-extensions must be ", kExtensions, ", not `", text, "`");
  return std::nullopt;
}

po::options_description passOptions() {
  po::options_description options("Debugging the compiler");
  auto add = options.add_options();
  add("dump-after", po::value<std::vector<std::string>>()->value_name("PASS[,PASS]|all"),
      "print the module after these passes; each dump is a valid .xt file");
  add("dump-dir", po::value<std::string>()->value_name("DIR"), "write the dumps to numbered files in DIR");
  add("time-passes", "print the time of each step");
  add("remarks", "report the cost of layouts (elements that move, with bytes and barriers), what passes remove or move, and "
                 "how each op is compiled for the CPU");
  add("verify-each", "verify the module after each pass");
  return options;
}

bool readCommon(const po::variables_map &map, std::string_view formats, CommonOptions &options, std::string &problem) {
  if (map.count("file")) options.files = map["file"].as<std::vector<std::string>>();
  if (map.count("define"))
    for (const std::string &text : map["define"].as<std::vector<std::string>>()) {
      size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0) return problem = "-D takes NAME=VALUE, not `" + text + "`", false;
      options.defines.emplace_back(text.substr(text[0] == '$' ? 1 : 0, equals - (text[0] == '$' ? 1 : 0)),
                                   text.substr(equals + 1));
    }
  for (const char *name : kMessageOptions) {
    if (!map.count(name)) continue;
    std::string format = map[name].as<std::string>();
    if (!isOneOf(format, formats)) return problem = str("--", name, " must be ", formats, ", not `", format, "`"), false;
    options.json = format == "json";
    options.sarif = format == "sarif";
  }
  if (map.count("color")) {
    std::string color = map["color"].as<std::string>();
    if (color == "always")
      options.color = ColorMode::Always;
    else if (color == "never")
      options.color = ColorMode::Never;
    else if (color != "auto")
      return problem = "--color must be auto, always or never, not `" + color + "`", false;
  }
  if (map.count("dump-after")) options.dumpAfter = splitCommas(map["dump-after"].as<std::vector<std::string>>());
  if (map.count("dump-dir")) options.dumpDir = map["dump-dir"].as<std::string>();
  options.timePasses = map.count("time-passes") != 0;
  options.verifyEach = map.count("verify-each") != 0;
  options.remarks = map.count("remarks") != 0;
  return true;
}

// Parses into `map`; returns the final result if help, the version or an error ends the command.
template <class Options>
std::optional<ParsedCommand<Options>> readCommand(const std::vector<std::string> &arguments, std::string_view tool,
                                                  std::string_view usage, std::string_view epilog,
                                                  const po::options_description &visible, po::variables_map &map) {
  po::options_description all;
  all.add(visible);
  all.add_options()("file", po::value<std::vector<std::string>>(), "");
  po::positional_options_description positional;
  positional.add("file", -1);
  auto fail = [&](std::string message) {
    return ParsedCommand<Options>{{}, str(tool, ": ", message, "\nTry `", tool, " --help`.\n"), kExitUsage};
  };
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(positional).run(), map);
    po::notify(map);
  } catch (const po::error &error) {
    return fail(error.what());
  }
  if (map.count("help")) {
    std::ostringstream out;
    out << usage << visible << epilog;
    return ParsedCommand<Options>{{}, out.str(), 0};
  }
  if (map.count("version")) return ParsedCommand<Options>{{}, std::string(kVersion) + "\n", 0};
  return std::nullopt;
}

template <class Options> ParsedCommand<Options> usageError(std::string_view tool, std::string_view message) {
  return {{}, str(tool, ": ", message, "\nTry `", tool, " --help`.\n"), kExitUsage};
}

// Parses --show-layout and its options; returns the error, if any.
std::optional<std::string> readDrawing(const po::variables_map &map, XtcOptions &options) {
  auto text = [&](const char *name, std::string &to) {
    if (map.count(name)) to = map[name].as<std::string>();
  };
  text("show-layout", options.showLayout), text("shape", options.shape), text("svg", options.svg);
  options.lanes = map.count("lanes") != 0;
  options.registers = map.count("registers") != 0;
  if (options.showLayout.empty()) {
    if (map.count("show-layout")) return "--show-layout needs a layout";
    for (const char *name : {"shape", "svg", "lanes", "registers"})
      if (map.count(name)) return str("--", name, " needs --show-layout");
    return std::nullopt;
  }
  if (options.shape.empty()) return "--show-layout needs the tile's shape, such as --shape 256x256";
  if (options.files.size() > 1) return "--show-layout takes at most one file";
  return std::nullopt;
}

// Parses --reduce; returns the error, if any.
std::optional<std::string> readReducing(const po::variables_map &map, XtcOptions &options) {
  if (!map.count("reduce")) return std::nullopt;
  options.reduce = map["reduce"].as<std::string>();
  if (options.reduce.find_first_not_of(" \t\n") == std::string::npos)
    return "--reduce needs a command, such as --reduce 'xtc --check {} 2>&1 | grep -q \"compiler bug\"'";
  if (options.files.size() > 1) return "--reduce takes one file";
  for (const char *name : {"check", "watch", "format-files", "emit", "run", "show-layout", "query"})
    if (map.count(name))
      return str("--reduce cannot be combined with --", std::string_view(name) == "format-files" ? "format" : name,
                 ": put it in the command");
  return std::nullopt;
}

// A time in seconds; nullopt if the text is not a positive number, or exceeds the range of clocks.
std::optional<double> secondsOf(const std::string &text) {
  constexpr double kMostSeconds = 1e9; // 30 years
  double seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  bool good = error == std::errc() && end == text.data() + text.size() && seconds > 0 && seconds <= kMostSeconds;
  return good ? std::optional(seconds) : std::nullopt;
}

// Parses an option whose value is a time; returns the error, if any.
std::optional<std::string> readSeconds(const po::variables_map &map, const char *name, double &seconds) {
  if (!map.count(name)) return std::nullopt;
  const std::string &text = map[name].as<std::string>();
  std::optional<double> given = secondsOf(text);
  if (!given) return str("--", name, " takes a number of seconds above 0 and up to 1e9, not `", text, "`");
  seconds = *given;
  return std::nullopt;
}

// Parses --check, --watch, --format alone, and --prove; returns the error, if any.
std::optional<std::string> readChecking(const po::variables_map &map, XtcOptions &options) {
  options.checkOnly = map.count("check") != 0;
  options.watch = map.count("watch") != 0;
  options.formatFiles = map.count("format-files") != 0;
  if (options.formatFiles && (!options.emit.empty() || options.watch))
    return "--format without a value rewrites files: it cannot be combined with --emit or --watch";
  if (options.formatFiles && !options.output.empty() && options.files.size() > 1) return "--format with -o takes one file";
  if (options.formatFiles && !options.output.empty() && options.checkOnly)
    return "--format --check writes nothing: it cannot be combined with -o";
  options.prove = map.count("prove") != 0;
  if (options.prove && (!options.emit.empty() || options.checkOnly || options.formatFiles))
    return "--prove cannot be combined with --check, --format or --emit";
  if (map.count("time-limit") && !options.prove) return "--time-limit needs --prove";
  if (std::optional<std::string> wrong = readSeconds(map, "time-limit", options.timeLimit)) return wrong;
  if (options.watch && !options.checkOnly) return "--watch needs --check";
  if (options.checkOnly && !options.emit.empty()) return "--check prints only messages: it cannot be combined with --emit";
  return std::nullopt;
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

} // namespace

std::vector<std::string> splitCommas(const std::vector<std::string> &texts) {
  std::vector<std::string> parts;
  for (const std::string &text : texts) {
    size_t begin = 0;
    while (begin <= text.size()) {
      size_t comma = text.find(',', begin);
      if (comma == std::string::npos) comma = text.size();
      if (comma > begin) parts.push_back(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
  }
  return parts;
}

std::string notAvailableText(std::string_view option, std::string_view target,
                             const std::function<bool(const Target &)> &takes) {
  std::vector<std::string_view> names;
  for (const Target *other : allTargets())
    if (takes(*other)) names.push_back(other->name());
  return str(option, " is not available for the target `", target, "`, but for ", join(names, ", "));
}

ParsedCommand<XtcOptions> parseXtcCommand(int argc, const char *const *argv) {
  po::options_description output("What to do (default: check the files)");
  auto add = output.add_options();
  add("check", "only check the files (syntax, names, types, layouts); with --format: only report files that are not formatted");
  add("watch", "with --check: check again whenever a file or one of its imports changes; Ctrl-C ends it");
  add("format-files", "the same as --format without a value: rewrite the files in the canonical format; `-` formats standard "
                      "input to standard output");
  add("prove",
      "prove for all sizes that each element of an output is stored exactly once and that no two workgroups store the same "
      "one, and report which loads are out of bounds; status 0: proved, 1: a claim fails, 3: undecided; needs Z3");
  add("time-limit", po::value<std::string>()->value_name("SECONDS"),
      "with --prove: time limit per kernel, after which claims are undecided; default: 60");
  add("emit", po::value<std::vector<std::string>>()->value_name("KIND[,KIND]"),
      "ast: the syntax tree; ir: the module after the passes; llvm, asm, obj: code of the CPU target; llvm, spirv, spvasm: "
      "code of a GPU target; meta: the launch interface of its kernels as JSON; isa: GPU assembly from Intel's offline "
      "compiler (ocloc)");
  add("no-block-messages", "for a GPU: emit code without block messages, for buffers of any alignment, width and pitch; "
                           "--emit=meta lists the rules of code with block messages");
  add("spirv-extensions", po::value<std::string>()->value_name(kExtensions),
      "for an Intel GPU: intel: block messages, products and cache hints as instructions of Intel's SPIR-V extensions, for "
      "drivers since 2025; none (default): as calls of device functions, without cache hints");
  add("output,o", po::value<std::string>()->value_name("FILE"), "write to FILE instead of standard output (-)");
  add("target", po::value<std::string>()->value_name("NAME"),
      "target to compile for: cpu (default), interp, or a GPU such as xe-pvc");
  add("run", po::value<std::vector<std::string>>()->value_name("PASS[,PASS]"),
      "run these passes instead of those of the target; --run= runs none");
  add("report", "for a GPU: count the messages and products of each kernel and inner loop; with --emit=isa: also registers, "
                "spills, occupancy, and instructions per loop");
  add("isa-shim", po::value<std::string>()->value_name("FILE.ll"),
      "with --emit=isa: LLVM IR that defines device functions which the offline compiler lacks");
  add("cpu", po::value<std::string>()->value_name("NAME"),
      "processor to generate code for, such as x86-64-v3; default: this one");
  po::options_description lists("Reference");
  auto addList = lists.add_options();
  addList("list-ops", "list all ops and the host functions of tests");
  addList("list-passes", "list all passes");
  addList("list-codes", "list all diagnostic codes");
  addList("reference", po::value<std::string>()->value_name("ops|codes"),
          "print the reference of all ops or of all diagnostics as Markdown");
  addList("query", po::value<std::vector<std::string>>()->multitoken()->value_name("TARGET [TYPES [SIZES]]"),
          "print what a GPU target supports: everything, the product sizes for types (f16,f16,f32), or one size (8x16x16)");
  addList("explain", po::value<std::string>()->value_name("CODE"), "explain a diagnostic code, such as XT0201");
  po::options_description drawing("Drawing layouts");
  auto addDrawing = drawing.add_options();
  addDrawing("show-layout", po::value<std::string>()->value_name("LAYOUT"),
             "draw a layout: an alias in FILE ('#name'), or a literal: '#wg_map<sg_layout = [8, 4], sg_data = [32, 64]>'");
  addDrawing("shape", po::value<std::string>()->value_name("256x256"), "shape of the distributed tile");
  addDrawing("svg", po::value<std::string>()->value_name("FILE"), "also write the drawing as SVG");
  addDrawing("lanes", "also show the lanes of a subgroup");
  addDrawing("registers", "also show the registers of a lane");
  po::options_description reducing("Reducing a file that shows a bug");
  reducing.add_options()(
      "reduce", po::value<std::string>()->value_name("COMMAND"),
      "shrink FILE while COMMAND succeeds (status 0) on it. A shell runs COMMAND for each candidate: `{}` in it stands for the "
      "file; without `{}` the file name is appended. Use grep -q to test for a message, and set a time limit in the command "
      "(timeout 10 …). The result is written to FILE.reduced.xt or -o; Ctrl-C keeps the smallest file so far");
  po::options_description looking = passOptions();
  looking.add_options()("round-trip", "check after each pass that the printed module parses to the same module");
  po::options_description visible(100, 40);
  visible.add(output).add(commonOptions(kXtcFormats)).add(drawing).add(reducing).add(looking).add(lists);

  po::variables_map map;
  if (auto done =
          readCommand<XtcOptions>(plainArguments(argc, argv), "xtc",
                                  "usage: xtc [options] FILE.xt…\n\nChecks .xt files, and prints what they compile to.\n",
                                  "\nExit status: 0 success, 1 the command of --reduce fails on the original file, or --format "
                                  "--check finds a\nfile that is not formatted, 2 the file does not compile, 3 a file cannot "
                                  "be read or written,\n64 wrong usage, 70 a bug in the compiler.\n",
                                  visible, map))
    return *done;
  XtcOptions options;
  std::string problem;
  if (!readCommon(map, kXtcFormats, options, problem)) return usageError<XtcOptions>("xtc", problem);
  if (map.count("emit")) options.emit = splitCommas(map["emit"].as<std::vector<std::string>>());
  std::vector<std::string_view> kinds = {"ast", "ir"};
  for (OutputKind kind : kOutputKinds) kinds.push_back(outputName(kind));
  for (const std::string &kind : options.emit)
    if (std::ranges::find(kinds, kind) == kinds.end())
      return usageError<XtcOptions>("xtc", str("--emit takes ", join(kinds, ", "), ", not `", kind, "`"));
  if (map.count("output")) options.output = map["output"].as<std::string>();
  if (map.count("target")) options.target = map["target"].as<std::string>();
  if (map.count("run")) options.run = splitCommas(map["run"].as<std::vector<std::string>>()), options.runGiven = true;
  if (map.count("cpu")) options.cpu = map["cpu"].as<std::string>();
  if (map.count("isa-shim")) options.isaShim = map["isa-shim"].as<std::string>();
  if (std::optional<std::string> wrong = readExtensions(map, options.intelExtensions))
    return usageError<XtcOptions>("xtc", *wrong);
  options.blockMessages = map.count("no-block-messages") == 0;
  options.report = map.count("report") != 0;
  options.roundTrip = map.count("round-trip") != 0;
  options.listOps = map.count("list-ops") != 0;
  options.listPasses = map.count("list-passes") != 0;
  options.listCodes = map.count("list-codes") != 0;
  if (map.count("explain")) options.explain = map["explain"].as<std::string>();
  if (map.count("reference")) options.reference = map["reference"].as<std::string>();
  if (!options.reference.empty() && options.reference != "ops" && options.reference != "codes")
    return usageError<XtcOptions>("xtc", "--reference must be ops or codes, not `" + options.reference + "`");
  if (std::optional<std::string> wrong = readDrawing(map, options)) return usageError<XtcOptions>("xtc", *wrong);
  if (std::optional<std::string> wrong = readChecking(map, options)) return usageError<XtcOptions>("xtc", *wrong);
  if (std::optional<std::string> wrong = readReducing(map, options)) return usageError<XtcOptions>("xtc", *wrong);
  if (map.count("query")) {
    options.query = map["query"].as<std::vector<std::string>>();
    options.query.insert(options.query.end(), options.files.begin(), options.files.end()); // those after other options
    options.files.clear();
  }
  bool lists_ = !options.showLayout.empty() || !options.query.empty() || options.listOps || options.listPasses ||
                options.listCodes || !options.explain.empty() || !options.reference.empty();
  if (options.files.empty() && !lists_) return usageError<XtcOptions>("xtc", "no input file");
  return {options, {}, 0};
}

ParsedCommand<XtrunOptions> parseXtrunCommand(int argc, const char *const *argv) {
  po::options_description running("Running");
  auto add = running.add_options();
  add("target", po::value<std::vector<std::string>>()->value_name("NAME[,NAME]"),
      "where to run: cpu (default), interp (the reference interpreter), xe (an Intel GPU), or a GPU by name such as xe-pvc; "
      "the results of several targets are also compared with each other");
  add("device", po::value<std::string>()->value_name("gpu|soft|opencl"),
      "device of a GPU target; default: an Intel GPU, or the software device if there is none; opencl: the first OpenCL "
      "device");
  add("spirv-extensions", po::value<std::string>()->value_name(kExtensions),
      "as in xtc: extensions that the SPIR-V for an Intel GPU may use");
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
  add("json", "print the results as JSON");
  add("quiet,q", "print failures only");
  add("describe", "print the signature, grid, scope, layouts, memory and operation counts of the kernels; runs nothing");
  po::options_description launching("Launching a kernel without a test block");
  auto addLaunch = launching.add_options();
  using Texts = std::vector<std::string>;
  addLaunch("kernel", po::value<std::string>()->value_name("NAME"), "the kernel of FILE to launch");
  addLaunch("arg", po::value<Texts>()->composing()->value_name("NAME=VALUE"),
            "an argument: x.npy, random:1024x512xf16 (or another initialiser of tests), or a number");
  addLaunch("out", po::value<Texts>()->composing()->value_name("NAME=FILE[:SHAPE]"), "save a buffer after the launch");
  addLaunch("expect", po::value<Texts>()->composing()->value_name("NAME=FILE"),
            "compare a buffer with a .npy file after the launch");
  addLaunch("grid", po::value<Texts>()->value_name("X[,Y,Z]"), "number of workgroups, for a kernel without a grid");
  addLaunch("rtol", po::value<std::string>(), "with --expect: relative tolerance; without a tolerance, all bits must be equal");
  addLaunch("atol", po::value<std::string>(), "with --expect: absolute tolerance");
  addLaunch("ulp", po::value<std::string>(), "with --expect: tolerance in units of the last place");
  po::options_description visible(100, 40);
  visible.add(running).add(launching).add(commonOptions(kXtrunFormats)).add(passOptions());

  po::variables_map map;
  if (auto done = readCommand<XtrunOptions>(
          std::vector<std::string>(argv + std::min(argc, 1), argv + argc), "xtrun",
          "usage: xtrun [options] FILE.xt…\n\nCompiles .xt files, runs their tests and verifies the results.\n",
          "\nExit status: 0 all tests passed, 1 a check failed, 2 a file does not compile, 3 a device or a file failed or "
          "the\ntime limit expired, 4 nothing was run, 64 wrong usage, 70 a bug in the compiler.\n"
          "XT_CACHE_DIR: directory of compiled code (default ~/.cache/xt; empty: no cache). XT_CACHE_LIMIT: its largest "
          "size,\nsuch as 64M (default 256M; 0: no cache). XT_CRASH_DIR: directory of crash reports (default: the "
          "working\ndirectory; empty: no reports).\n",
          visible, map))
    return *done;
  XtrunOptions options;
  std::string problem;
  if (!readCommon(map, kXtrunFormats, options, problem)) return usageError<XtrunOptions>("xtrun", problem);
  options.targets =
      map.count("target") ? splitCommas(map["target"].as<std::vector<std::string>>()) : std::vector<std::string>{"cpu"};
  for (size_t i = 0; i < options.targets.size(); ++i) // a target given twice runs once
    options.targets.erase(
        std::remove(options.targets.begin() + static_cast<std::ptrdiff_t>(i) + 1, options.targets.end(), options.targets[i]),
        options.targets.end());
  if (map.count("test")) options.tests = map["test"].as<std::vector<std::string>>();
  if (map.count("data-dir")) options.dataDir = map["data-dir"].as<std::string>();
  if (map.count("check")) {
    options.check = map["check"].as<std::string>();
    for (const std::string &word : splitCommas({options.check}))
      if (!addCheck(options.checks, word))
        return usageError<XtrunOptions>("xtrun", str("--check takes ", join(checkWords(), ", "), ", not `", word, "`"));
    if (!options.checks.any() && !options.checks.algebra)
      return usageError<XtrunOptions>("xtrun", str("--check takes ", join(checkWords(), ", ")));
    if (!map.count("target")) options.targets = {"interp"};
    if (std::find(options.targets.begin(), options.targets.end(), "interp") == options.targets.end())
      return usageError<XtrunOptions>("xtrun", "--check needs the target interp, which --target does not list");
    if (options.checks.algebra && options.targets.size() > 1)
      return usageError<XtrunOptions>("xtrun",
                                      "--check=algebra can run only on the target interp, because other targets round values");
  }
  if (map.count("device")) {
    std::string device = map["device"].as<std::string>();
    std::optional<DeviceChoice> choice = deviceChoiceNamed(device);
    if (!choice) return usageError<XtrunOptions>("xtrun", "--device must be gpu, soft or opencl, not `" + device + "`");
    options.device = *choice;
  }
  if (std::optional<std::string> wrong = readExtensions(map, options.intelExtensions))
    return usageError<XtrunOptions>("xtrun", *wrong);
  options.listDevices = map.count("devices") != 0;
  options.doctor = map.count("doctor") != 0;
  if (map.count("threads")) options.threads = map["threads"].as<int>();
  if (map.count("threads") && options.threads < 1) return usageError<XtrunOptions>("xtrun", "--threads must be at least 1");
  if (map.count("opt-level")) {
    int level = map["opt-level"].as<int>();
    if (level < 0 || level > 3) return usageError<XtrunOptions>("xtrun", str("-O takes 0 to 3, not ", level));
    options.optimise = level > 0;
  }
  if (map.count("small")) options.small = true;
  if (map.count("full")) options.small = false;
  if (std::optional<std::string> wrong = readSeconds(map, "time-limit", options.timeLimit))
    return usageError<XtrunOptions>("xtrun", *wrong);
  if (map.count("json")) options.json = true;
  options.quiet = map.count("quiet") != 0;
  options.describe = map.count("describe") != 0;
  if (std::optional<std::string> wrong = readBench(map, options)) return usageError<XtrunOptions>("xtrun", *wrong);
  if (std::optional<std::string> wrong = readLaunch(map, options)) return usageError<XtrunOptions>("xtrun", *wrong);
  if (options.files.empty() && !options.listDevices && !options.doctor)
    return usageError<XtrunOptions>("xtrun", "no input file");
  if (options.targets.empty()) return usageError<XtrunOptions>("xtrun", "--target names no target");
  return {options, {}, 0};
}

} // namespace xt
