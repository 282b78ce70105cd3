// Times one product by ours and by other libraries, in turn, and prints a row of the table of README.md.
//
//   xt_bench_cpu --list [--quick]             the cells
//   xt_bench_cpu --compile CELL               how long our kernel takes to compile: the first time, and the median of more
//   xt_bench_cpu CELL THREADS [--quick]       f32:1024x1024x1024:nn
#include "targets/cpu/machine_rates.h"
#include "tests/bench/cpu/problem.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

namespace xt::bench {
namespace {

// One thread: of this process, as others on the machine do not count. Several: of the clock on the wall.
double seconds(int threads) {
  timespec time{};
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}
double median(const std::vector<double> &values) { return quantile(values, 0.5); }

struct Plan {
  int rounds;
  double batch;  // seconds of calls that are timed as one
  double budget; // seconds after which no round begins, once there are kFewest
};
constexpr int kFewest = 3;

// Seconds of a call, by side and round. The sides take turns, each round begun by another one; a call of each goes ahead
// untimed, so that its threads and caches are those of repeated calls.
std::vector<std::vector<double>> measure(const std::vector<Side> &sides, int threads, const Plan &plan) {
  std::vector<std::vector<double>> times(sides.size());
  std::vector<int> calls(sides.size(), 1);
  for (size_t s = 0; s < sides.size(); ++s) {
    sides[s].call();
    double start = seconds(threads);
    sides[s].call();
    calls[s] = static_cast<int>(std::clamp(plan.batch / std::max(1e-7, seconds(threads) - start), 1.0, 1e6));
  }
  double begin = seconds(2);
  for (int round = 0; round < plan.rounds; ++round) {
    if (round >= kFewest && seconds(2) - begin > plan.budget) break;
    for (size_t i = 0; i < sides.size(); ++i) {
      size_t s = (i + static_cast<size_t>(round)) % sides.size();
      std::this_thread::sleep_for(std::chrono::milliseconds(2)); // until the threads of the one before sleep
      sides[s].call();
      double start = seconds(threads);
      for (int c = 0; c < calls[s]; ++c) sides[s].call();
      times[s].push_back((seconds(threads) - start) / calls[s]);
    }
  }
  return times;
}

int run(const char *name, int threads, bool quick) {
  Cell cell;
  if (!parseCell(name, cell) || threads < 1) return std::fprintf(stderr, "a cell looks like f32:1024x1024x1024:nn\n"), 64;
  Problem problem = makeProblem(cell);
  // f16 has no other side: theirs is the same in f32.
  bool half = cell.elem == Elem::F16;
  Problem theirs = problem;
  if (half) {
    theirs.cell.elem = Elem::F32;
    theirs.a = converted(problem.a, Elem::F32);
    theirs.b = converted(problem.b, Elem::F32);
  }
  std::vector<Side> sides;
  std::string why;
  addOurs(problem, threads, sides, why);
  if (sides.empty()) return std::fprintf(stderr, "%s", why.c_str()), 1;
  addOneDnn(theirs, threads, sides, why);
  addBlas(theirs, threads, sides, why);
  addEigen(theirs, threads, sides);
  std::fprintf(stderr, "%s", why.c_str());
  std::vector<std::vector<double>> times = measure(sides, threads, quick ? Plan{5, 2e-3, 1} : Plan{15, 10e-3, 10});
  int wrong = 0;
  for (size_t s = 0; s < sides.size(); ++s)
    if (std::string text = whatIsWrong(s ? theirs : problem, sides[s]); !text.empty()) std::fprintf(stderr, "%s: %s\n", name, text.c_str()), wrong |= s == 0;

  size_t best = 0;
  for (size_t s = 1; s < sides.size(); ++s)
    if (!best || median(times[s]) < median(times[best])) best = s;
  double ours = median(times[0]), peak = measurePeak(cell.elem, threads).operations, rate = cell.operations() / ours;
  std::printf("| %s | %d | %.1f | %.0f%% |", name, threads, rate * 1e-9, 100 * rate / peak);
  for (size_t s = 1; s < sides.size(); ++s)
    std::printf(" %s%s %.1f%s", s > 1 ? "· " : "", sides[s].name.c_str(), cell.operations() / median(times[s]) * 1e-9, half ? " (f32)" : "");
  if (best) {
    std::vector<double> ratios; // of each round
    for (size_t r = 0; r < times[0].size(); ++r) ratios.push_back(times[best][r] / times[0][r]);
    std::printf(" | %.3f | %.2f–%.2f |\n", median(ratios), quantile(ratios, 0.25), quantile(ratios, 0.75));
  } else {
    std::printf(" | | |\n");
  }
  return wrong;
}

int compile(const char *name) {
  Cell cell;
  if (!parseCell(name, cell)) return 64;
  cell.m = cell.n = cell.k = 1; // the kernel takes any sizes
  std::vector<double> seconds = compileSeconds(makeProblem(cell), 12);
  if (seconds.empty()) return 1;
  double first = seconds[0];
  seconds.erase(seconds.begin());
  std::printf("%s: the first %.1f ms, more %.1f ms (%.1f–%.1f)\n", name, first * 1e3, median(seconds) * 1e3, quantile(seconds, 0) * 1e3, quantile(seconds, 1) * 1e3);
  return 0;
}

void list(bool quick) {
  std::vector<const char *> shapes{"128x128x128:nn",    "256x256x256:nn",    "512x512x512:nn",   "1000x1000x1000:nn",
                                   "1024x1024x1024:nn", "2048x2048x2048:nn", "4096x4096x4096:nn", "1x4096x4096:nn",
                                   "37x1111x513:nn",    "8192x64x64:nn",     "1024x1024x1024:nt", "1024x1024x1024:tn",
                                   "1024x1024x1024:tt"};
  std::vector<const char *> few{"128x128x128:nn", "1000x1000x1000:nn", "1024x1024x1024:nn", "1x4096x4096:nn", "37x1111x513:nn"};
  for (const char *elem : {"f32", "bf16", "i8", "f64", "f16"})
    for (const char *shape : quick ? few : shapes) std::printf("%s:%s\n", elem, shape);
}

} // namespace
} // namespace xt::bench

int main(int argc, char **argv) {
  bool quick = argc > 1 && std::strcmp(argv[argc - 1], "--quick") == 0;
  if (argc > 1 && std::strcmp(argv[1], "--list") == 0) return xt::bench::list(quick), 0;
  if (argc == 3 && std::strcmp(argv[1], "--compile") == 0) return xt::bench::compile(argv[2]);
  if (argc < 3) return std::fprintf(stderr, "xt_bench_cpu --list | --compile CELL | CELL THREADS [--quick]\n"), 64;
  return xt::bench::run(argv[1], std::atoi(argv[2]), quick);
}
