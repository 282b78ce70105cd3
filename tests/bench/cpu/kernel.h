// Our kernels: compiles a text with the CPU target and returns a function that launches a kernel of it.
#pragma once
#include "ir/launch.h"
#include "targets/cpu/analysis/cpu_info.h"
#include "tests/bench/cpu/matrix.h"

#include <utility>
#include <vector>

namespace xt::bench {

struct KernelText {
  std::string file; // the file's name in messages
  std::string text;
  std::string kernel; // name of the kernel that is launched, without '@'
  std::vector<std::pair<std::string, std::string>> defines = {}; // values of parameters, as in LowerOptions
};

// Returns the processor that XT_BENCH_PROCESSOR sets for our code, such as x86-64-v3; null stands for this machine.
const char *otherProcessor();
Result<CpuInfo> ourProcessor(); // the processor that our code is compiled for

LaunchArg argument(const Matrix &matrix, std::vector<int64_t> sizes); // the matrix's elements, with other sizes
LaunchArg argument(const Matrix &matrix);                             // the matrix's elements, with its rows and columns
LaunchArg argument(double number);

// Returns a function that launches the kernel on `threads` threads and ends the process if the launch fails. If the kernel
// cannot be compiled, returns an empty function and appends a line with the reason to `why`. The caller owns the memory of the
// arguments.
std::function<void()> launchOf(const KernelText &kernel, const std::vector<LaunchArg> &args, int threads, std::string &why);

// Compiles the kernels one after the other on one thread. Returns the CPU time of each in seconds, from the module after the
// passes to code in memory. If a kernel does not compile, returns an empty list and appends the reason to `why`.
std::vector<double> secondsOfCompiling(const std::vector<KernelText> &kernels, std::string &why);

} // namespace xt::bench
