// The command line of xtc.
#include "targets/tools/options_common.h"

#include <algorithm>

namespace xt {
namespace {

constexpr const char *kXtcFormats = "text|json|sarif"; // the formats of messages

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

po::options_description outputOptions() {
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
      "ast: the syntax tree; ir: the module after the passes; llvm, asm, obj: code of the CPU target; "
      "lib: a library for programs in C, -o NAME: NAME.h, libNAME.a, libNAME.so, NAME.json; llvm, spirv, spvasm: "
      "code of a GPU target; ptx: code of an NVIDIA target; meta: the launch interface of its kernels as JSON; isa: GPU "
      "assembly from Intel's offline "
      "compiler (ocloc); sass-stats: what NVIDIA's assembler (ptxas) makes of the PTX: registers, spills, occupancy, "
      "instructions "
      "per loop");
  add("no-block-messages", "for a GPU: emit code without block messages, for buffers of any alignment, width and pitch; "
                           "--emit=meta lists the rules of code with block messages");
  add("overlapping-arguments", "for a GPU: emit code for arguments that overlap in any way; --emit=meta tells which kernels "
                               "need it for that");
  add("spirv-extensions", po::value<std::string>()->value_name(kExtensions),
      "for an Intel GPU: intel: block messages, products and cache hints as instructions of Intel's SPIR-V extensions, for "
      "drivers since 2025; inline-assembly: block messages in loops keep their addresses in registers (PVC, BMG); none: as "
      "calls "
      "of device functions, without cache hints; auto (default): none, and in a library (--emit=lib) also inline-assembly, of "
      "which the driver decides when it runs");
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
  return output;
}

po::options_description referenceOptions() {
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
  return lists;
}

po::options_description drawingOptions() {
  po::options_description drawing("Drawing layouts");
  auto addDrawing = drawing.add_options();
  addDrawing("show-layout", po::value<std::string>()->value_name("LAYOUT"),
             "draw a layout: an alias in FILE ('#name'), or a literal: '#wg_map<sg_layout = [8, 4], sg_data = [32, 64]>'");
  addDrawing("shape", po::value<std::string>()->value_name("256x256"), "shape of the distributed tile");
  addDrawing("svg", po::value<std::string>()->value_name("FILE"), "also write the drawing as SVG");
  addDrawing("lanes", "also show the lanes of a subgroup");
  addDrawing("registers", "also show the registers of a lane");
  return drawing;
}

po::options_description reducingOptions() {
  po::options_description reducing("Reducing a file that shows a bug");
  reducing.add_options()(
      "reduce", po::value<std::string>()->value_name("COMMAND"),
      "shrink FILE while COMMAND succeeds (status 0) on it. A shell runs COMMAND for each candidate: `{}` in it stands for the "
      "file; without `{}` the file name is appended. Use grep -q to test for a message, and set a time limit in the command "
      "(timeout 10 …). The result is written to FILE.reduced.xt or -o; Ctrl-C keeps the smallest file so far");
  return reducing;
}

po::options_description allOptions() {
  po::options_description looking = passOptions();
  looking.add_options()("round-trip", "check after each pass that the printed module parses to the same module");
  po::options_description visible(100, 40);
  visible.add(outputOptions())
      .add(commonOptions(kXtcFormats))
      .add(drawingOptions())
      .add(reducingOptions())
      .add(looking)
      .add(referenceOptions());
  return visible;
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

// Parses what to print of the code; returns the error, if any.
std::optional<std::string> readOutput(const po::variables_map &map, XtcOptions &options) {
  if (map.count("emit")) options.emit = splitCommas(map["emit"].as<std::vector<std::string>>());
  std::vector<std::string_view> kinds = {"ast", "ir"};
  for (OutputKind kind : kOutputKinds) kinds.push_back(outputName(kind));
  for (const std::string &kind : options.emit)
    if (std::ranges::find(kinds, kind) == kinds.end()) return str("--emit takes ", join(kinds, ", "), ", not `", kind, "`");
  if (map.count("output")) options.output = map["output"].as<std::string>();
  if (map.count("target")) options.target = map["target"].as<std::string>();
  if (map.count("run")) options.run = splitCommas(map["run"].as<std::vector<std::string>>()), options.runGiven = true;
  if (map.count("cpu")) options.cpu = map["cpu"].as<std::string>();
  if (map.count("isa-shim")) options.isaShim = map["isa-shim"].as<std::string>();
  options.blockMessages = map.count("no-block-messages") == 0;
  options.overlappingArguments = map.count("overlapping-arguments") != 0;
  options.report = map.count("report") != 0;
  options.roundTrip = map.count("round-trip") != 0;
  return readExtensions(map, options.extensions);
}

// Parses what to print of the language and of targets; returns the error, if any.
std::optional<std::string> readReference(const po::variables_map &map, XtcOptions &options) {
  options.listOps = map.count("list-ops") != 0;
  options.listPasses = map.count("list-passes") != 0;
  options.listCodes = map.count("list-codes") != 0;
  if (map.count("explain")) options.explain = map["explain"].as<std::string>();
  if (map.count("reference")) options.reference = map["reference"].as<std::string>();
  if (!options.reference.empty() && options.reference != "ops" && options.reference != "codes")
    return "--reference must be ops or codes, not `" + options.reference + "`";
  if (map.count("query")) {
    options.query = map["query"].as<std::vector<std::string>>();
    options.query.insert(options.query.end(), options.files.begin(), options.files.end()); // after other options
    options.files.clear();
  }
  return std::nullopt;
}

} // namespace

ParsedCommand<XtcOptions> parseXtcCommand(int argc, const char *const *argv) {
  auto ended = [](EndOfCommand end) { return ParsedCommand<XtcOptions>{{}, std::move(end.text), end.status}; };
  po::variables_map map;
  if (auto done = readCommand(plainArguments(argc, argv), "xtc",
                              "usage: xtc [options] FILE.xt…\n\nChecks .xt files, and prints what they compile to.\n",
                              "\nExit status: 0 success, 1 the command of --reduce fails on the original file, or --format "
                              "--check finds a\nfile that is not formatted, 2 the file does not compile, 3 a file cannot "
                              "be read or written,\n64 wrong usage, 70 a bug in the compiler.\n",
                              allOptions(), map))
    return ended(*done);
  XtcOptions options;
  std::optional<std::string> wrong = readCommon(map, kXtcFormats, options);
  for (auto read : {readOutput, readDrawing, readChecking, readReducing, readReference})
    if (!wrong) wrong = read(map, options);
  if (wrong) return ended(usageError("xtc", *wrong));
  bool lists = !options.showLayout.empty() || !options.query.empty() || options.listOps || options.listPasses ||
               options.listCodes || !options.explain.empty() || !options.reference.empty();
  if (options.files.empty() && !lists) return ended(usageError("xtc", "no input file"));
  return {options, {}, 0};
}

} // namespace xt
