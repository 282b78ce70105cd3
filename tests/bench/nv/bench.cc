// Counts what NVIDIA's assembler makes of files of PTX for sm_80: a row for each kernel with products.
//   xt_bench_nv LABEL=FILE.ptx…
#include "targets/nv/sass/sass_report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace xt {
namespace {

constexpr int kCapability = 80;

// The main loop is that with the most products. An iteration takes at least the instructions on the shortest way through it,
// and at most all.
void printRow(const std::string &label, const SassReport &report) {
  auto main = std::ranges::max_element(report.loops, {}, &SassLoopCounts::products);
  if (main == report.loops.end() || !main->products) return;
  size_t others = main->loop.shortest - main->products;
  double products = static_cast<double>(main->products);
  std::printf("| %s, %s | %lld | %lld | %zu | %zu to %zu | %.2f to %.2f |\n", label.c_str(), report.kernel.name.c_str(),
              static_cast<long long>(report.kernel.registers), static_cast<long long>(report.spilled.stores), main->products,
              others, main->others(), static_cast<double>(others) / products, static_cast<double>(main->others()) / products);
}

Result<void> printRows(const std::string &label, const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::string ptx{std::istreambuf_iterator<char>(in), {}};
  Result<AssembledPtx> made = assemblePtx(ptx, "sm_80");
  if (!made) return made.error();
  Result<std::vector<SassReport>> reports = sassReports(*made, kCapability);
  if (!reports) return reports.error();
  for (const SassReport &report : *reports) printRow(label, report);
  return {};
}

} // namespace
} // namespace xt

int main(int count, char **arguments) {
  std::printf("| kernel | registers | bytes spilled | mma | others | others for each mma |\n|---|---|---|---|---|---|\n");
  for (int i = 1; i < count; ++i) {
    std::string argument = arguments[i];
    size_t equals = argument.rfind('=');
    if (equals == std::string::npos) return std::fprintf(stderr, "%s: not LABEL=FILE.ptx\n", arguments[i]), 64;
    if (auto done = xt::printRows(argument.substr(0, equals), argument.substr(equals + 1)); !done)
      return std::fprintf(stderr, "%s: %s\n", arguments[i], done.error().message.c_str()), 3;
  }
}
