// Times our GEMM kernel against OpenBLAS's sgemm, alternately in one run, and prints the ratio of medians.
//
//   OPENBLAS_CORETYPE=SKYLAKEX OPENBLAS_NUM_THREADS=1 xt_bench_cpu [size [rounds [processor [K step]]]]
#include "passes/form_nests.h"
#include "targets/cpu/cpu_target.h"
#include "targets/cpu/emit.h"
#include "tests/targets/cpu/kernel_maker.h"

#include <cblas-openblas.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace xt {
namespace {

// Of this process: other programs on the machine do not count.
double seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(Elem elem, int64_t size, int rounds, const char *processor, int64_t depth) {
  KernelMaker m;
  makeGemm(m, elem, Elem::F32, {256, 256, depth});
  Diagnostics diagnostics;
  if (Result<void> formed = formNests(m.module, diagnostics); !formed) return std::printf("%s\n", formed.error().message.c_str()), 1;
  Result<CpuInfo> cpu = cpuInfo(processor);
  if (!cpu) return std::printf("%s\n", cpu.error().message.c_str()), 1;
  CompileOptions options;
  options.threads = 1;
  std::vector<double> compileTimes;
  std::unique_ptr<Executable> executable;
  for (int i = 0; i < 5; ++i) {
    double start = seconds();
    auto compiled = compileForCpu(m.module, *cpu, options, diagnostics);
    compileTimes.push_back(seconds() - start);
    if (!compiled) return std::printf("%s\n", compiled.error().message.c_str()), 1;
    executable = std::move(*compiled);
  }
  double start = seconds();
  size_t instructions = *instructionCount(m.module, {processor}, diagnostics);
  double emitted = seconds();
  size_t bytes = emit(m.module, EmitKind::Object, {processor}, diagnostics)->size();
  std::printf("%zu LLVM instructions, %.1f ms to emit; %zu bytes of object, %.1f ms\n", instructions,
              (emitted - start) * 1e3, bytes, (seconds() - emitted) * 1e3);
  if (const char *path = std::getenv("XT_BENCH_DUMP")) {
    for (auto [kind, suffix] : {std::pair{EmitKind::Llvm, ".ll"}, std::pair{EmitKind::Asm, ".s"}}) {
      std::FILE *file = std::fopen((std::string(path) + suffix).c_str(), "w");
      std::fputs(emit(m.module, kind, {processor}, diagnostics)->c_str(), file);
      std::fclose(file);
    }
  }
  Array a(elem, {size, size}), b(elem, {size, size}), c(Elem::F32, {size, size});
  std::vector<float> fa, fb, fc(static_cast<size_t>(size * size));
  auto fill = [](Array &array, std::vector<float> &copy, int64_t seed) {
    array.forEach([&](const std::vector<int64_t> &i) {
      array.set(i, static_cast<double>((i[0] * 31 + i[1] * 17 + seed) % 23 - 11));
      copy.push_back(static_cast<float>(array.number(i)));
    });
  };
  fill(a, fa, 1);
  fill(b, fb, 2);
  std::vector<LaunchArg> args{a.arg(), b.arg(), c.arg()};
  std::vector<GridRange> grid(2, {0, 256, (size + 255) / 256});
  std::vector<double> ours, theirs;
  auto n = static_cast<blasint>(size);
  for (int i = 0; i < rounds + 2; ++i) {
    double before = seconds();
    Result<void> launched = executable->launch(*m.kernel, args, grid);
    double middle = seconds();
    if (!launched) return std::printf("%s\n", launched.error().message.c_str()), 1;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, fa.data(), n, fb.data(), n, 0, fc.data(), n);
    double end = seconds();
    if (i < 2) continue; // warms up
    ours.push_back(middle - before);
    theirs.push_back(end - middle);
  }
  double worst = 0;
  c.forEach([&](const std::vector<int64_t> &i) {
    worst = std::max(worst, std::fabs(c.number(i) - static_cast<double>(fc[static_cast<size_t>(i[0] * size + i[1])])));
  });
  double work = 2e-9 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
  double mine = work / median(ours), blas = work / median(theirs);
  std::printf("%s  %s %lld: compile %.1f ms (first %.1f), ours %.1f GF/s, OpenBLAS f32 %.1f GF/s, ratio %.2f, largest "
              "difference %g\n",
              cpu->name.c_str(), std::string(elemName(elem)).c_str(), static_cast<long long>(size),
              median(compileTimes) * 1e3, compileTimes[0] * 1e3, mine, blas, mine / blas, worst);
  return 0;
}

} // namespace
} // namespace xt

int main(int argc, char **argv) {
  int64_t size = argc > 1 ? std::atoll(argv[1]) : 1024;
  int rounds = argc > 2 ? std::atoi(argv[2]) : 15;
  const char *processor = argc > 3 ? argv[3] : "host";
  int64_t depth = argc > 4 ? std::atoll(argv[4]) : 32;
  return xt::run(xt::Elem::F32, size, rounds, processor, depth) |
         xt::run(xt::Elem::F16, size, rounds, processor, depth);
}
