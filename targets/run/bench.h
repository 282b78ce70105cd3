// Times the launches of a test: decides on the number of runs, and computes the statistics of their times.
#pragma once
#include "ir/base/result.h"
#include "ir/cost.h"
#include "ir/launch.h"
#include "ir/module.h"
#include "targets/target.h"

#include <functional>
#include <optional>
#include <vector>

namespace xt {

struct BenchOptions {
  double seconds = 30;      // time limit
  double precision = 0.01;  // stop when the interval is narrower than this fraction of the median
  double hopeless = 0;      // seconds; not 0: stop after the first runs if none of them is faster than this
  std::function<double(double)> agreed = {}; // makes the same of a time on all ranks, so that they run as often
  bool warmOnly = false;    // leave out the times with cold caches and without work, and the machine's rates
};

// All times in seconds. The interval contains the median with 95% probability, whatever the distribution of the
// times: its ends are two of the measured times, chosen by rank.
struct BenchTimes {
  double median = 0, low = 0, high = 0, first = 0; // first: the first run of all, before any warm-up
  size_t count = 0;
  double spread() const { return median > 0 ? (high - low) / median : 0; }
};
// Requires at least one time.
BenchTimes benchTimes(std::vector<double> seconds);

// Runs `once`, which returns the measured seconds: a few times as warm-up, then until the interval is narrow enough
// or the time limit is reached.
Result<BenchTimes> measure(const std::function<Result<double>()> &once, const BenchOptions &options);

// What a launch got: its kernel, and the extents of each argument that is an array.
struct BenchLaunch {
  std::string kernel;
  std::vector<std::vector<int64_t>> arrays;
};

struct BenchWork {
  double operations = 0, bytes = 0;
};
// The element type that the kernel's products multiply; f32 for a kernel without products.
Elem multipliedElem(const Kernel &kernel);

// The times of all launches of a test together.
struct BenchReport {
  BenchTimes times;               // their data may be in caches
  std::vector<BenchLaunch> launches;
  std::optional<BenchTimes> cold; // with all data evicted from the caches
  std::optional<BenchWork> work;  // nullopt where it cannot be counted
  double arrayBytes = 0;          // bytes of all arrays that launches get, each array counted once per launch
  std::optional<MachineRates> rates;
  double compileSeconds = 0; // passes and code generation of the whole file
  double emptySeconds = 0;   // launches of zero workgroups
};

// Operations and bytes of a launch as the compiler counts them (ir/cost.h). Only work inside the bounds of the grid and the
// loops counts. Nullopt if a bound depends on more than the launch's arguments.
std::optional<BenchWork> workOf(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid);

} // namespace xt
