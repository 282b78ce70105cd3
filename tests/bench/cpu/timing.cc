#include "tests/bench/cpu/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <thread>

namespace xt::bench {
namespace {

double seconds(int threads) {
  timespec time{};
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Plan {
  int rounds;
  double batch;  // duration in seconds of the calls that are timed together
  double budget; // seconds after which no further round begins, once there are kFewest rounds
};
constexpr Plan kThorough{15, 10e-3, 10}, kQuick{5, 2e-3, 1};
constexpr int kFewest = 3;

// Returns the seconds of one call. An untimed call comes first, so that the side's threads and caches are in the state of
// repeated calls. Before that, the threads of the previous side must go to sleep: those of OpenBLAS spin for 2^26 ticks.
double secondsOfCall(const Side &side, int calls, int threads) {
  std::this_thread::sleep_for(std::chrono::milliseconds(threads > 1 ? 60 : 2));
  side.call();
  double start = seconds(threads);
  for (int c = 0; c < calls; ++c) side.call();
  return (seconds(threads) - start) / calls;
}

} // namespace

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

double median(const std::vector<double> &values) { return quantile(values, 0.5); }

// Calls the sides in turn. Each round begins with a different side.
Times measure(const std::vector<Side> &sides, int threads, bool quick) {
  const Plan &plan = quick ? kQuick : kThorough;
  Times times(sides.size());
  std::vector<int> calls(sides.size(), 1);
  for (size_t s = 0; s < sides.size(); ++s)
    if (sides[s].call)
      calls[s] = static_cast<int>(std::clamp(plan.batch / std::max(1e-7, secondsOfCall(sides[s], 1, threads)), 1.0, 1e6));
  double begin = seconds(2);
  for (int round = 0; round < plan.rounds; ++round) {
    if (round >= kFewest && seconds(2) - begin > plan.budget) break;
    for (size_t i = 0; i < sides.size(); ++i) {
      size_t s = (i + static_cast<size_t>(round)) % sides.size();
      times[s].push_back(sides[s].call ? secondsOfCall(sides[s], calls[s], threads) : sides[s].seconds);
    }
  }
  return times;
}

void printTheirs(const std::vector<Side> &sides, const Times &times, const std::function<double(double seconds)> &reached,
                 int digits, const char *note) {
  size_t best = 0;
  for (size_t s = 1; s < sides.size(); ++s) {
    std::printf(" %s%s %.*f%s", s > 1 ? "· " : "", sides[s].name.c_str(), digits, reached(median(times[s])), note);
    if (!best || median(times[s]) < median(times[best])) best = s;
  }
  if (!best) return void(std::printf(" | | |\n"));
  std::vector<double> ratios; // one per round
  for (size_t r = 0; r < times[0].size(); ++r) ratios.push_back(times[best][r] / times[0][r]);
  std::printf(" | %.3f | %.2f–%.2f |\n", median(ratios), quantile(ratios, 0.25), quantile(ratios, 0.75));
}

} // namespace xt::bench
