// Loops of independent sums in registers: as many operations a second as a core can do.
#include "targets/cpu/cpu_info.h"
#include "tests/bench/cpu/problem.h"

#include <algorithm>
#include <ctime>

namespace xt::bench {
namespace {

// Of this thread: other programs on the machine do not count.
double seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Operations in `loops` rounds, by the best of several runs.
template <class Run> double best(double operations, Run run) {
  double most = 0;
  for (int i = 0; i < 9; ++i) {
    double start = seconds();
    run();
    most = std::max(most, operations / (seconds() - start));
  }
  return most;
}

constexpr int kLoops = 400000, kSums = 12;

// One instruction on twelve sums that start at zero (numbers near zero would be slow).
#define XT_PEAK_LOOP(name, instruction, file, lanes)                                                                   \
  double name() {                                                                                                      \
    return best(2.0 * (lanes) * kSums * kLoops, [] {                                                                   \
      asm volatile(".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13\nvxorps %%xmm\\r, %%xmm\\r, %%xmm\\r\n.endr\n"               \
                   "mov %0, %%eax\n1:\n.irp r,2,3,4,5,6,7,8,9,10,11,12,13\n" instruction " %%" file "0, %%" file      \
                   "1, %%" file "\\r\n.endr\ndec %%eax\njnz 1b\nvzeroupper\n" ::"i"(kLoops)                           \
                   : "eax", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",   \
                     "xmm11", "xmm12", "xmm13");                                                                       \
    });                                                                                                                \
  }

XT_PEAK_LOOP(wideF32, "vfmadd231ps", "zmm", 16)
XT_PEAK_LOOP(wideF64, "vfmadd231pd", "zmm", 8)
XT_PEAK_LOOP(wideBf16, "vdpbf16ps", "zmm", 32)
XT_PEAK_LOOP(wideInt8, "vpdpbusd", "zmm", 64)
XT_PEAK_LOOP(narrowF32, "vfmadd231ps", "ymm", 8)
XT_PEAK_LOOP(narrowF64, "vfmadd231pd", "ymm", 4)

#undef XT_PEAK_LOOP

// AMX: four sums of 16x16, whole tiles, which hold zeros. The process may use it since our kernel was compiled.
#define XT_PEAK_TILES(name, instruction, depth)                                                                        \
  double name() {                                                                                                      \
    alignas(64) unsigned char config[64] = {1};                                                                        \
    for (int tile = 0; tile < 8; ++tile) config[16 + 2 * tile] = 64, config[48 + tile] = 16;                           \
    return best(2.0 * 16 * 16 * (depth) * 4 * kLoops / 16, [&] {                                                       \
      asm volatile("ldtilecfg %1\nmov %0, %%eax\n1:\n.irp r,0,1,2,3\n" instruction " %%tmm6, %%tmm4, %%tmm\\r\n.endr\n" \
                   "dec %%eax\njnz 1b\ntilerelease\n" ::"i"(kLoops / 16), "m"(config)                                  \
                   : "eax");                                                                                           \
    });                                                                                                                \
  }

XT_PEAK_TILES(tilesBf16, "tdpbf16ps", 32)
XT_PEAK_TILES(tilesInt8, "tdpbssd", 64)
#undef XT_PEAK_TILES

} // namespace

double measuredPeak(Elem elem) {
  __builtin_cpu_init();
  bool wide = __builtin_cpu_supports("avx512f");
  if (!__builtin_cpu_supports("fma")) return 0;
  if (elem == Elem::F64) return wide ? wideF64() : narrowF64();
  Result<CpuInfo> cpu = cpuInfo("host");
  if (cpu.ok() && elem == Elem::BF16 && cpu->tilesBf16) return tilesBf16();
  if (cpu.ok() && isInteger(elem) && cpu->tilesBytes) return tilesInt8();
  if (elem == Elem::BF16 && __builtin_cpu_supports("avx512bf16")) return wideBf16();
  if (isInteger(elem) && __builtin_cpu_supports("avx512vnni")) return wideInt8();
  return wide ? wideF32() : narrowF32();
}

} // namespace xt::bench
