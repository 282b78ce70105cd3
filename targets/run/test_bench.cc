// Times the launches of a test run.
#include "targets/run/test_run.h"

namespace xt {

// Runs everything once. The seconds are those of the launches; if ranks communicate, those of the slowest rank from begin to end.
Result<double> TestRun::launchAndCommunicate() {
  Clock::time_point start = Clock::now();
  double seconds = 0;
  for (const Step &step : steps_) {
    Result<double> one = runStep(step, false);
    if (!one) return one.error();
    seconds += *one;
  }
  return communications_.empty() ? seconds : ranks_->largest(secondsSince(start));
}

// The results of the launches accumulate, because nothing resets them; times do not depend on the values.
Result<void> TestRun::bench() {
  if (auto done = stage("timing"); !done) return done;
  if (options_.mayPrint) options_.mayPrint(false);
  resetBuffers(0);
  auto once = [&] { return launchAndCommunicate(); };
  BenchOptions options = *options_.bench;
  if (!communications_.empty())
    options.agreed = [&](double seconds) {
      Result<double> agreed = ranks_->largest(seconds);
      return agreed ? *agreed : options_.bench->seconds; // an error ends the next run
    };
  Result<BenchTimes> times = measure(once, options);
  if (!times) return times.error();
  BenchReport &bench = report_.bench.emplace();
  bench.times = *times;
  bench.compileSeconds = target_.compileSeconds;
  for (const LaunchPlan &launch : launches_) {
    BenchLaunch &of = bench.launches.emplace_back(launch.kernel->name);
    for (const LaunchArg &argument : launch.args)
      if (argument.kind == LaunchArg::Kind::Buffer) of.arrays.push_back(argument.buffer.sizes);
  }
  if (options_.bench->warmOnly || !communications_.empty()) return {};
  if (Result<void> done = benchCold(once, bench); !done) return done;
  if (Result<void> done = benchEmpty(bench); !done) return done;
  bench.rates = target_.executable->machineRates(multipliedElem(*launches_[0].kernel));
  BenchWork all;
  for (const LaunchPlan &launch : launches_) {
    std::optional<BenchWork> work = workOf(*launch.kernel, launch.args, launch.grid);
    if (!work) return {};
    all.operations += work->operations;
    all.bytes += work->bytes;
  }
  bench.work = all;
  return {};
}

// Measures a few runs with all arrays evicted from the caches, if the target can evict them.
Result<void> TestRun::benchCold(const std::function<Result<double>()> &once, BenchReport &bench) {
  auto evictAll = [&] {
    bool done = true;
    bench.arrayBytes = 0;
    for (const LaunchPlan &launch : launches_)
      for (TestBuffer *buffer : launch.buffers) {
        if (!buffer) continue;
        bench.arrayBytes += static_cast<double>(buffer->device->plan().dataBytes);
        done = target_.executable->evict(buffer->device->data(), buffer->device->plan().dataBytes) && done;
      }
    return done;
  };
  if (!evictAll()) return {};
  constexpr size_t kRuns = 9;
  std::vector<double> all;
  for (size_t i = 0; i < kRuns && (i == 0 || all[0] * static_cast<double>(i) < options_.bench->seconds / 4); ++i) {
    evictAll();
    Result<double> seconds = once();
    if (!seconds) return seconds.error();
    all.push_back(*seconds);
  }
  bench.cold = benchTimes(std::move(all));
  return {};
}

// Measures the overhead of a launch without work.
Result<void> TestRun::benchEmpty(BenchReport &bench) {
  std::vector<double> all;
  for (int i = 0; i < 100; ++i) {
    double seconds = 0;
    for (LaunchPlan launch : launches_) {
      if (launch.grid.empty()) return {};
      for (GridRange &range : launch.grid) range.count = 0;
      Result<double> one = launchOnce(launch);
      if (!one) return one.error();
      seconds += *one;
    }
    all.push_back(seconds);
  }
  bench.emptySeconds = benchTimes(std::move(all)).median;
  return {};
}

} // namespace xt
