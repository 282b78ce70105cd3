// The cost of loads that are executed between products in registers (AVX-512), with all data in the L1 cache. It bounds the
// speed of a register tile, whose shape determines the number of loads per 24 products. No product uses a loaded value.
#include "targets/cpu/analysis/cpu_info.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace {

constexpr int kProducts = 24, kTurns = 500000, kRuns = 9;
alignas(64) std::array<float, 1024> data;

double threadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

#ifdef __x86_64__
// Returns the nanoseconds that 24 products take with the given numbers of register loads and of broadcast loads. kSpread: the
// loads are spread among the products, not all before them.
template <int kRegisters, int kElements, bool kSpread> double nanosecondsOfTurn() {
  std::array<double, kRuns> times{};
  for (double &time : times) {
    double start = threadSeconds();
    asm volatile(
        "vxorps %%xmm24, %%xmm24, %%xmm24\nvxorps %%xmm25, %%xmm25, %%xmm25\n"
        ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23\nvpxord %%zmm\\r, %%zmm\\r, %%zmm\\r\n.endr\n"
        "mov %[turns], %%eax\n.p2align 6\n1:\n.set xt_load, 0\n"
        ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23\n"
        ".rept (%c[registers] + %c[elements]) * (%c[spread] * \\r / 24 + 1 - %c[spread]) - xt_load\n"
        ".if xt_load < %c[registers]\nvmovaps 64 * xt_load(%[data]), %%zmm26\n"
        ".else\nvbroadcastss 2048 + 4 * xt_load(%[data]), %%zmm27\n.endif\n.set xt_load, xt_load + 1\n.endr\n"
        "vfmadd231ps %%zmm24, %%zmm25, %%zmm\\r\n.endr\n"
        ".rept %c[registers] + %c[elements] - xt_load\nvbroadcastss (%[data]), %%zmm27\n.endr\n"
        "dec %%eax\njnz 1b\nvzeroupper\n" ::[turns] "i"(kTurns),
        [data] "r"(data.data()), [registers] "i"(kRegisters), [elements] "i"(kElements), [spread] "i"(kSpread ? 1 : 0)
        : "eax", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
          "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    time = (threadSeconds() - start) / kTurns * 1e9;
  }
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  return times[kRuns / 2];
}

template <int kRegisters, int kElements> void printLine(const char *shape, double none) {
  double ahead = nanosecondsOfTurn<kRegisters, kElements, false>(), spread = nanosecondsOfTurn<kRegisters, kElements, true>();
  std::printf("| %d of a register, %d of an element | %s | %.3f | %.3f |\n", kRegisters, kElements, shape, ahead / none,
              spread / none);
}

void print() {
  double none = nanosecondsOfTurn<0, 0, false>();
  std::printf(
      "| loads beside %d products | the tile that has them | time over that of no loads: ahead | spread |\n|---|---|---|---|\n",
      kProducts);
  printLine<4, 0>("", none);
  printLine<0, 6>("", none);
  printLine<0, 8>("", none);
  printLine<4, 4>("", none);
  printLine<4, 6>("6x64", none);
  printLine<3, 8>("8x48", none);
  printLine<2, 12>("12x32", none);
  printLine<4, 12>("", none);
}
#endif

} // namespace

int main() {
#ifdef __x86_64__
  xt::Result<xt::CpuInfo> cpu = xt::cpuInfo("host");
  if (cpu.ok() && cpu->vectorRegisters == 32) return print(), 0;
#endif
  std::fprintf(stderr, "this processor has no AVX-512\n");
  return 1;
}
