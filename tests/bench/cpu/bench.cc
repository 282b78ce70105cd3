// Times one product or operator with our kernel and with other libraries, in turn, and prints a row of one of README.md's
// tables.
//
//   xt_bench_cpu --list [--quick | --few-rows]   the cells, products first
//   xt_bench_cpu --compile CELL               how long our kernel takes to compile, and the median for kernels with other tile
//                                             sizes
//   xt_bench_cpu CELL THREADS [--quick]       f32:1024x1024x1024:nn, gelu:1024x1024x1024:bf16
#include "ir/elem_kinds.h"
#include "targets/cpu/runtime/machine_rates.h"
#include "tests/bench/cpu/kernel.h"
#include "tests/bench/cpu/operators.h"
#include "tests/bench/cpu/problem.h"
#include "tests/bench/cpu/timing.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace xt::bench {
namespace {

// Removes all sides with wrong results except our own, for which it returns 1 (otherwise 0). oneDNN is wrong for bytes with
// AVX2, because it keeps sums of two products in 16 bits. `wrong` returns the error of a side, or "".
template <class Wrong> int check(const char *name, std::vector<Side> &sides, Times &times, Wrong wrong) {
  int status = 0;
  for (size_t s = sides.size(); s-- > 0;) {
    std::string text = wrong(s);
    if (text.empty()) continue;
    std::fprintf(stderr, "%s: %s\n", name, text.c_str());
    if (s == 0) {
      status = 1;
      continue;
    }
    sides.erase(sides.begin() + static_cast<ptrdiff_t>(s));
    times.erase(times.begin() + static_cast<ptrdiff_t>(s));
  }
  return status;
}

// Returns the peak operations per second of the processor that our code is compiled for, or 0 if it has no instructions for the
// type.
double peakOf(Elem elem, int threads) {
  Result<CpuInfo> cpu = ourProcessor();
  return cpu.ok() ? measurePeak(*cpu, elem, threads).operations : 0;
}

int runProduct(const char *name, const Cell &cell, int threads, bool quick) {
  Problem problem = makeProblem(cell);
  // No other side supports f16, so the others compute the product of the converted matrices in f32.
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
  if (!otherProcessor()) addEigen(theirs, threads, sides); // Eigen is compiled for this machine
  addLibxsmm(theirs, threads, sides);
  std::fprintf(stderr, "%s", why.c_str());
  Times times = measure(sides, threads, quick);
  int status = check(name, sides, times, [&](size_t s) { return whatIsWrong(s ? theirs : problem, sides[s]); });
  double ours = median(times[0]), peak = peakOf(cell.elem, threads), rate = cell.operations() / ours;
  std::printf("| %s | %d | %.1f | ", name, threads, rate * 1e-9);
  std::printf(peak > 0 ? "%.0f%% |" : "|", 100 * rate / peak);
  printTheirs(sides, times, [&](double seconds) { return cell.operations() / seconds * 1e-9; }, 1, half ? " (f32)" : "");
  return status;
}

int runOperator(const char *name, const Operator &op, int threads, bool quick) {
  std::vector<Side> sides;
  std::string why;
  addOurs(op, threads, sides, why);
  if (sides.empty()) return std::fprintf(stderr, "%s", why.c_str()), 1;
  addOneDnn(op, threads, sides, why);
  if (!otherProcessor()) addOnnxRuntime(op, threads, sides, why); // it uses the features of this machine
  std::fprintf(stderr, "%s", why.c_str());
  Times times = measure(sides, threads, quick);
  int status = check(name, sides, times, [&](size_t s) { return whatIsWrong(op, sides[s]); });
  double ours = median(times[0]);
  // The time at the peak rate or, for operators without products, at the memory bandwidth of this machine.
  double floor = op.operations > 0 ? op.operations / peakOf(op.elem, threads) : op.bytes / measureBandwidth(threads);
  std::printf("| %s | %d | %.2f | ", name, threads, ours * 1e3);
  if (std::isfinite(floor)) std::printf("%.0f%%", 100 * floor / ours);
  if (std::isfinite(floor) && op.kind == Operator::Kind::Attention) std::printf(", %.2f times its products", ours / floor);
  std::printf(" |");
  printTheirs(sides, times, [](double seconds) { return seconds * 1e3; }, 2);
  return status;
}

int run(const char *name, int threads, bool quick) {
  Cell cell;
  if (threads >= 1 && parseCell(name, cell)) return runProduct(name, cell, threads, quick);
  if (std::optional<Operator> op = makeOperator(name); threads >= 1 && op) return runOperator(name, *op, threads, quick);
  return std::fprintf(stderr, "a cell looks like f32:1024x1024x1024:nn or gelu:1024x1024x1024:bf16\n"), 64;
}

int compile(const char *name) {
  Cell cell;
  if (!parseCell(name, cell)) return 64;
  cell.m = cell.n = cell.k = 4; // the kernel accepts any sizes
  std::string why;
  std::vector<double> seconds = compileSeconds(makeProblem(cell), 12, why);
  if (seconds.empty()) return std::fprintf(stderr, "%s", why.c_str()), 1;
  double first = seconds[0];
  seconds.erase(seconds.begin());
  std::printf("%s: the first %.1f ms, with tiles of other sizes %.1f ms (%.1f–%.1f)\n", name, first * 1e3,
              median(seconds) * 1e3, quantile(seconds, 0) * 1e3, quantile(seconds, 1) * 1e3);
  return 0;
}

// Lists products that occur in a layer of a model for a few tokens, with 2 to 64 MB of weights.
void listFewRows() {
  for (const char *shape : {"4x4096x4096", "8x4096x4096", "16x2048x2048", "16x4096x4096", "32x4096x4096", "64x1024x1024",
                            "64x2048x2048", "64x4096x4096", "64x768x3072", "128x768x768", "128x2048x2048"})
    std::printf("f32:%s:nn\n", shape);
}

void list(bool quick) {
  std::vector<const char *> shapes{"128x128x128:nn",    "256x256x256:nn",    "512x512x512:nn",    "1000x1000x1000:nn",
                                   "1024x1024x1024:nn", "2048x2048x2048:nn", "4096x4096x4096:nn", "1x4096x4096:nn",
                                   "37x1111x513:nn",    "8192x64x64:nn",     "1024x1024x1024:nt", "1024x1024x1024:tn",
                                   "1024x1024x1024:tt"};
  std::vector<const char *> few{"128x128x128:nn", "1000x1000x1000:nn", "1024x1024x1024:nn", "1x4096x4096:nn", "37x1111x513:nn"};
  for (const char *elem : {"f32", "bf16", "i8", "f64", "f16"})
    for (const char *shape : quick ? few : shapes) std::printf("%s:%s\n", elem, shape);
  std::vector<const char *> operators{"softmax:4096x4096:f32",    "layernorm:4096x4096:f32", "gelu:1024x1024x1024:f32",
                                      "gelu:1024x1024x1024:bf16", "attention:8x2048x64:f32", "attention:8x2048x64:bf16"};
  std::vector<const char *> fewOperators{"softmax:4096x4096:f32", "layernorm:4096x4096:f32", "gelu:1024x1024x1024:f32",
                                         "attention:2x512x64:f32"};
  for (const char *cell : quick ? fewOperators : operators) std::printf("%s\n", cell);
}

} // namespace
} // namespace xt::bench

int main(int argc, char **argv) {
  auto ends = [&](const char *option) { return argc > 1 && std::strcmp(argv[argc - 1], option) == 0; };
  const bool quick = ends("--quick");
  if (argc > 1 && std::strcmp(argv[1], "--list") == 0)
    return ends("--few-rows") ? xt::bench::listFewRows() : xt::bench::list(quick), 0;
  if (argc == 3 && std::strcmp(argv[1], "--compile") == 0) return xt::bench::compile(argv[2]);
  if (argc < 3)
    return std::fprintf(stderr, "xt_bench_cpu --list [--quick | --few-rows] | --compile CELL | CELL THREADS [--quick]\n"), 64;
  return xt::bench::run(argv[1], std::atoi(argv[2]), quick);
}
