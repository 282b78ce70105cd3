// Our kernels: from text through the passes of the CPU target to a side's call.
#pragma once
#include "ir/launch.h"
#include "targets/cpu/cpu_info.h"
#include "tests/bench/cpu/matrix.h"

#include <utility>
#include <vector>

namespace xt::bench {

struct KernelText {
  std::string file; // its name in messages
  std::string text;
  std::string kernel; // the one that is launched, without '@'
  std::vector<std::pair<std::string, std::string>> defines = {}; // of parameters, as LowerOptions has them
};

// What XT_BENCH_PROCESSOR says that our code is made for, as x86-64-v3; null: this machine.
const char *otherProcessor();
Result<CpuInfo> ourProcessor(); // that our code is made for

LaunchArg argument(const Matrix &matrix, std::vector<int64_t> sizes); // of `count` elements together
LaunchArg argument(const Matrix &matrix);                             // of rows and columns
LaunchArg argument(double number);

// A launch on `threads` threads, which ends the process if it fails; {}: `why` has a line that says why not. The
// arguments' memory belongs to the caller.
std::function<void()> launchOf(const KernelText &kernel, const std::vector<LaunchArg> &args, int threads, std::string &why);

// One kernel after the other, by one thread: processor time from the module after the passes to code in memory.
// None if one does not compile: `why` says why not.
std::vector<double> secondsOfCompiling(const std::vector<KernelText> &kernels, std::string &why);

} // namespace xt::bench
