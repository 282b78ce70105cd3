#include "tests/bench/nv/main_loops.h"

#include "ir/base/text.h"
#include "targets/process/external_tool.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

namespace xt::bench {
namespace {

constexpr std::string_view kArchitecture = "sm_80";
constexpr int kCapability = 80;

// A warp of a product has 64x64 of the result, and 32 or 64 of K in each iteration. One of attention has 8 queries, half of
// what a product takes, and multiplies them by 64 keys twice.
constexpr CountedKernel kKernels[] = {
    {"product 128x256x64", "product_128x256x64", "tests/bench/nv/products.xt", "", (64 / 16) * (64 / 8) * (64 / 16)},
    {"product 128x128x32", "product_128x128x32", "tests/bench/nv/products.xt", "", (64 / 16) * (64 / 8) * (32 / 16)},
    {"attention, D = 64", "attention", "stdlib/attention.xt", "ATTENTION_D=64", (64 / 8) * (64 / 16) * 2},
    {"attention, D = 128", "attention", "stdlib/attention.xt", "ATTENTION_D=128", (64 / 8) * (128 / 16) * 2},
};

std::string contentsOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string ratio(size_t others, size_t products) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", static_cast<double>(others) / static_cast<double>(products));
  return text;
}

} // namespace

std::span<const CountedKernel> countedKernels() { return kKernels; }

const SassLoopCounts *mainLoop(const SassReport &report) {
  auto main = std::ranges::max_element(report.loops, {}, &SassLoopCounts::products);
  return main == report.loops.end() || !main->products ? nullptr : &*main;
}

Result<CountedCode> countedCode(const CountedKernel &kernel, const std::string &xtc, const std::string &root) {
  Result<ScratchDirectory> scratch = ScratchDirectory::make();
  if (!scratch) return scratch.error();
  std::string to = scratch->file("k.ptx");
  std::vector<std::string> arguments = {str("--target=", kCountedTarget), "--emit=ptx", "-o", to, str(root, "/", kernel.file)};
  if (!kernel.define.empty()) arguments.insert(arguments.end(), {"-D", std::string(kernel.define)});
  Result<ToolOutput> compiled = runTool(xtc, "xt", arguments);
  if (!compiled) return compiled.error();
  if (compiled->status != 0) return Error::environment(str(xtc, ": ", compiled->output));
  Result<AssembledPtx> made = assemblePtx(contentsOf(to), std::string(kArchitecture), std::string(kernel.kernel));
  if (!made) return made.error();
  Result<std::vector<SassReport>> reports = sassReports(*made, kCapability);
  if (!reports) return reports.error();
  for (SassReport &report : *reports)
    if (report.kernel.name == kernel.kernel && mainLoop(report))
      return CountedCode{std::move(report), std::move(made->warnings)};
  return Error::environment(str(kernel.file, ": no loop of @", kernel.kernel, " has a product"));
}

std::string row(const CountedKernel &kernel, const SassReport &report) {
  const SassLoopCounts &main = *mainLoop(report);
  size_t least = main.loop.shortest - main.products, most = main.others();
  return str("| ", kernel.name, " | ", report.kernel.registers, " | ", report.spilled.stores, " | ", main.products, " | ",
             least, " to ", most, " | ", ratio(least, main.products), " to ", ratio(most, main.products), " |\n");
}

std::string tableHead(const std::string &version) {
  return str("By ptxas ", version,
             ":\n\n| kernel | registers | bytes spilled | mma | others | others for each mma |\n|---|---|---|---|---|---|\n");
}

Result<std::string> ptxasVersion() {
  Result<ToolOutput> ran = runTool(ptxasPath(), "nvidia-cuda-nvcc", {"--version"});
  if (!ran) return ran.error();
  size_t at = ran->output.rfind(", V");
  if (ran->status != 0 || at == std::string::npos) return Error::environment(str("ptxas --version: ", ran->output));
  std::istringstream in(ran->output.substr(at + 3));
  std::string version;
  in >> version;
  return version;
}

} // namespace xt::bench
