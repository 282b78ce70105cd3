// Timing the launches of a test: how often, and what the times say.
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
  double seconds = 30;      // at most so long
  double precision = 0.01;  // until the interval is narrower than this part of the median
};

// Seconds. The interval holds the median of such runs with 95% probability, whatever their distribution: it is two of
// the times themselves, by their ranks.
struct BenchTimes {
  double median = 0, low = 0, high = 0, first = 0; // first: the first run of all, before any warm-up
  size_t count = 0;
  double spread() const { return median > 0 ? (high - low) / median : 0; }
};
// Of at least one time.
BenchTimes benchTimes(std::vector<double> seconds);

// Runs `once`, which gives the seconds that count: a few times to warm up, then until the interval is as narrow as wanted
// or the time is over.
Result<BenchTimes> measure(const std::function<Result<double>()> &once, const BenchOptions &options);

struct BenchWork {
  double operations = 0, bytes = 0;
};
// The type that the kernel's products multiply; of one without, f32.
Elem multipliedElem(const Kernel &kernel);

// All launches of a test together.
struct BenchReport {
  BenchTimes times;               // what they read may be in caches
  std::optional<BenchTimes> cold; // … is in none
  std::optional<BenchWork> work;  // not where it cannot be counted
  double arrayBytes = 0;          // of the arrays that each launch is given, every one counted once
  std::optional<MachineRates> rates;
  double compileSeconds = 0; // passes and code of the whole file
  double emptySeconds = 0;   // launches of no workgroups
};

// Operations and bytes of a launch by the compiler's own count (ir/cost.h), for what lies inside of the grid's and the
// loops' bounds; nullopt where a bound depends on more than the launch's arguments.
std::optional<BenchWork> workOf(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid);

} // namespace xt
