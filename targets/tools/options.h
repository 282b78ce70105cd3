// Command lines of xtc and xtrun.
#pragma once
#include "ir/base/exit_status.h"
#include "ir/checks.h"
#include "targets/target.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace xt {

enum class ColorMode { Auto, Always, Never };

struct CommonOptions {
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> defines; // -D NAME=VALUE; of xtrun also NAME=VALUE,VALUE
  std::vector<std::pair<std::string, int64_t>> sizes;       // --size NAME=NUMBER
  bool json = false, sarif = false; // format of messages; neither: text
  ColorMode color = ColorMode::Auto;
  std::vector<std::string> dumpAfter; // pass names, or "all"
  std::string dumpDir;                // empty: standard output
  bool timePasses = false;
  bool verifyEach = false;
  SpirvExtensions extensions = SpirvExtensions::Auto; // --spirv-extensions
  std::optional<std::string> tuning; // a file of `xtrun --tune`; "": none; unset: the one beside the file
  bool remarks = false; // print the cost of layouts and of decisions of the compiler
};

struct XtcOptions : CommonOptions {
  std::vector<std::string> emit; // ast, ir, or the name of an OutputKind
  std::string output;            // empty: standard output
  std::vector<std::string> run;  // passes to run instead of the target's own
  bool runGiven = false;
  std::string target = "cpu";
  std::string cpu; // for --emit=llvm,asm,obj; empty: this machine's
  bool checkOnly = false;
  bool formatFiles = false; // rewrite files; with checkOnly, only report which differ
  bool watch = false;       // check again whenever a file changes
  bool prove = false;       // report properties of the accesses of each kernel for all sizes
  double timeLimit = 0;     // seconds for each kernel of --prove; 0: the default
  bool roundTrip = false;
  bool listOps = false, listPasses = false, listCodes = false;
  std::string explain;
  std::string reference; // ops, codes
  bool report = false;
  bool blockMessages = true; // GPU code may use block messages
  bool overlappingArguments = false; // GPU code takes arguments that overlap in any way
  std::string isaShim; // a file with OutputOptions::definitions
  std::vector<std::string> query; // a target, types, sizes
  std::string reduce; // a command that decides whether a file is interesting
  std::string showLayout; // an alias or a layout
  std::string shape, svg; // shape: for showLayout; svg: an output file
  bool lanes = false, registers = false;
};

struct XtrunOptions : CommonOptions {
  std::vector<std::string> targets;
  std::vector<std::string> tests; // names; empty: all
  std::string dataDir;
  int threads = 0;
  bool optimise = true;
  DeviceChoice device = DeviceChoice::Any;
  bool listDevices = false;
  bool doctor = false;
  std::optional<bool> small; // true: --small, false: --full; unset: the target's default
  double timeLimit = 0;      // seconds, 0: none
  std::string check;         // checks of the interpreter, as written: "race,uninit"
  Checks checks;
  bool quiet = false;
  // A launch without a test block.
  std::string kernel;
  std::vector<std::pair<std::string, std::string>> args, outs, expects; // NAME=VALUE
  std::vector<std::string> grid;
  std::vector<std::pair<std::string, std::string>> tolerances; // rtol, atol, ulp
  bool describe = false;
  bool bench = false;
  double benchSeconds = 30;            // time limit for each test
  bool tune = false;
  double budget = 60; // seconds for each test of --tune
  bool mpi = false;                    // one rank of a program that mpirun has started
  std::string roofline;                // an SVG file for a chart of the --bench results; "": no chart
  std::string compare;                 // a file written by --bench --json
  std::optional<double> failIfSlower;  // fail if slower than that file by more than this fraction
};

// The result of parsing a command line: options, or text to print (help, version, a usage error) with the exit status.
template <class Options> struct ParsedCommand {
  std::optional<Options> options;
  std::string text;
  int status = 0;
};
// The error for an option that the target does not take; it names the targets that do.
std::string notAvailableText(std::string_view option, std::string_view target,
                             const std::function<bool(const Target &)> &takes);
// What -D gives: each parameter with a list of values, as in `-D BM=64,128`, takes each of them with each value of the others.
// Returns the combinations in the order of the lists, the last one changing fastest; empty if there are more than `most`.
using Defines = std::vector<std::pair<std::string, std::string>>;
std::vector<Defines> combinations(const Defines &defines, size_t most);
// Splits "a,b", "c" into a, b, c.
std::vector<std::string> splitCommas(const std::vector<std::string> &texts);
ParsedCommand<XtcOptions> parseXtcCommand(int argc, const char *const *argv);
ParsedCommand<XtrunOptions> parseXtrunCommand(int argc, const char *const *argv);

} // namespace xt
