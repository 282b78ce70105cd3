#include "tests/bench/xe/compile_time.h"

#include "ir/base/output_file.h"
#include "ir/base/text.h"
#include "tests/bench/xe/upstream.h"
#include "tests/targets/xe/isa/kernels.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace xt::bench {
namespace {

// Returns the wall-clock time of a command in milliseconds, or an Error if the command fails.
Result<double> timeOf(const Command &command, const ScratchDirectory &directory) {
  auto start = std::chrono::steady_clock::now();
  Result<ToolOutput> ran = runTool(command.program, command.package, command.arguments, {.directory = directory.path()});
  double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (!ran.ok()) return ran.error();
  if (ran->status != 0) return Error::environment(str(command.program, " failed: ", ran->output));
  return ms;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string milliseconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", ms);
  return text;
}

} // namespace

Result<std::string> compileTimes(const std::string &xtc, int rounds) {
  Result<ScratchDirectory> directory = ScratchDirectory::make();
  if (!directory.ok()) return directory.error();
  test::GemmVariant gemm;
  gemm.prefetches = true;
  auto ours = writeOutputFile(directory->file("gemm.xt"), {test::gemmText(gemm)});
  auto theirs = writeOutputFile(directory->file("gemm.mlir"), {upstreamText({.prefetches = true})});
  if (!ours.ok() || !theirs.ok()) return ours.ok() ? theirs.error() : ours.error();
  Command command{xtc, "none: it is built here", {"--target=xe-pvc", "--emit=spirv", "-o", "ours.spv", "gemm.xt"}};
  std::vector<Command> chain = upstreamChain();
  std::vector<double> our, all;
  std::vector<std::vector<double>> each(chain.size());
  for (int round = 0; round < rounds; ++round) {
    Result<double> ms = timeOf(command, *directory);
    if (!ms.ok()) return ms.error();
    our.push_back(*ms);
    all.push_back(0);
    for (size_t i = 0; i < chain.size(); ++i) {
      Result<double> part = timeOf(chain[i], *directory);
      if (!part.ok()) return part.error();
      each[i].push_back(*part);
      all.back() += *part;
      if (i == 0)
        if (Result<void> done = takeKernelOut(*directory); !done.ok()) return done.error();
    }
  }
  std::string text = str("  xtc --emit=spirv              ", milliseconds(median(our)), "\n  upstream's chain              ",
                         milliseconds(median(all)), "\n");
  for (size_t i = 0; i < chain.size(); ++i)
    text += str("    ", chain[i].program, std::string(26 - chain[i].program.size(), ' '), milliseconds(median(each[i])), "\n");
  return text;
}

} // namespace xt::bench
