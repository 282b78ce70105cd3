// Our kernels: compiles a text with the CPU target and returns a side's call.
#pragma once
#include "ir/launch.h"
#include "targets/cpu/analysis/cpu_info.h"
#include "tests/bench/cpu/matrix.h"

#include <utility>
#include <vector>

namespace xt::bench {

struct KernelText {
  std::string file; // its name in messages
  std::string text;
  std::string kernel; // the one that is launched, without '@'
  std::vector<std::pair<std::string, std::string>> defines = {}; // of parameters, as in LowerOptions
};

// The processor that XT_BENCH_PROCESSOR sets for our code, such as x86-64-v3; null: this machine.
const char *otherProcessor();
Result<CpuInfo> ourProcessor(); // the processor that our code is compiled for

LaunchArg argument(const Matrix &matrix, std::vector<int64_t> sizes); // of the matrix's elements, with other sizes
LaunchArg argument(const Matrix &matrix);                             // with its rows and columns
LaunchArg argument(double number);

// A function that launches the kernel on `threads` threads and ends the process if the launch fails. If the kernel cannot be
// compiled, returns an empty function and appends a line with the reason to `why`. The caller owns the memory of the arguments.
std::function<void()> launchOf(const KernelText &kernel, const std::vector<LaunchArg> &args, int threads, std::string &why);

// Compiles one kernel after the other on one thread: CPU time from the module after the passes to code in memory. Empty if one
// does not compile: `why` gives the reason.
std::vector<double> secondsOfCompiling(const std::vector<KernelText> &kernels, std::string &why);

} // namespace xt::bench
