// The code that NVIDIA's assembler (ptxas) makes of products and attention for sm_80, counted: the table of README.md.
#pragma once
#include "targets/nv/sass/sass_report.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xt::bench {

inline constexpr std::string_view kCountedTarget = "nv-sm80";

// A kernel of a file of this repository.
struct CountedKernel {
  std::string_view name; // in the table
  std::string_view kernel, file;
  std::string_view define; // "NAME=VALUE" of a parameter; "": none
  size_t products; // that each lane takes part in, in an iteration of the main loop: what the shapes of the tiles need
};
std::span<const CountedKernel> countedKernels();

struct CountedCode {
  SassReport report;
  std::vector<std::string> warnings; // of ptxas
};
// Compiles a kernel by the program `xtc`, assembles and counts it. `root`: the folder of this repository. A loop has products.
Result<CountedCode> countedCode(const CountedKernel &kernel, const std::string &xtc, const std::string &root);

// The loop with the most products; null if none has any. An iteration takes at least the instructions on the shortest way
// through it.
const SassLoopCounts *mainLoop(const SassReport &report);

// "13.5.37"
Result<std::string> ptxasVersion();

// The table: its first lines, and a line for each kernel.
std::string tableHead(const std::string &version);
std::string row(const CountedKernel &kernel, const SassReport &report);

} // namespace xt::bench
