// Prints the table of README.md.
//   xt_bench_nv XTC ROOT
#include "tests/bench/nv/main_loops.h"

#include <cstdio>

namespace xt::bench {
namespace {

Result<void> printTable(const std::string &xtc, const std::string &root) {
  Result<std::string> version = ptxasVersion();
  if (!version) return version.error();
  std::fputs(tableHead(*version).c_str(), stdout);
  for (const CountedKernel &kernel : countedKernels()) {
    Result<CountedCode> code = countedCode(kernel, xtc, root);
    if (!code) return code.error();
    std::fputs(row(kernel, code->report).c_str(), stdout);
  }
  return {};
}

} // namespace
} // namespace xt::bench

int main(int count, char **arguments) {
  if (count != 3) return std::fprintf(stderr, "usage: xt_bench_nv XTC ROOT\n"), 64;
  if (auto done = xt::bench::printTable(arguments[1], arguments[2]); !done)
    return std::fprintf(stderr, "%s\n", done.error().message.c_str()), 3;
}
