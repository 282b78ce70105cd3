#include "targets/cpu/runtime/machine_rates.h"

#include "ir/elem_kinds.h"
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/cpu/analysis/product_style.h"
#include "targets/cpu/threads/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <memory>

namespace xt {
namespace {

// The CPU time of this thread, so that other programs on the machine do not count.
double threadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The best rate of several runs.
template <class Run> double best(double operations, Run run) {
  double most = 0;
  for (int i = 0; i < 9; ++i) {
    double start = threadSeconds();
    run();
    most = std::max(most, operations / (threadSeconds() - start));
  }
  return most;
}

#ifdef __x86_64__
constexpr int kLoops = 200000, kSums = 12;

// One instruction on twelve independent sums that start at zero (denormal values would be slow).
#define XT_PEAK_LOOP(name, instruction, file, lanes)                                                                           \
  double name() {                                                                                                              \
    return best(2.0 * (lanes) * kSums * kLoops, [] {                                                                           \
      asm volatile(".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13\nvxorps %%xmm\\r, %%xmm\\r, %%xmm\\r\n.endr\n"                      \
                   "mov %0, %%eax\n1:\n.irp r,2,3,4,5,6,7,8,9,10,11,12,13\n" instruction " %%" file "0, %%" file "1, %%" file  \
                   "\\r\n.endr\ndec %%eax\njnz 1b\nvzeroupper\n" ::"i"(kLoops)                                                 \
                   : "eax", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",  \
                     "xmm12", "xmm13");                                                                                        \
    });                                                                                                                        \
  }

XT_PEAK_LOOP(wideF32, "vfmadd231ps", "zmm", 16)
XT_PEAK_LOOP(wideF64, "vfmadd231pd", "zmm", 8)
XT_PEAK_LOOP(wideBf16, "vdpbf16ps", "zmm", 32)
XT_PEAK_LOOP(wideInt8, "vpdpbusd", "zmm", 64)
XT_PEAK_LOOP(narrowF32, "vfmadd231ps", "ymm", 8)
XT_PEAK_LOOP(narrowF64, "vfmadd231pd", "ymm", 4)
XT_PEAK_LOOP(narrowInt8, "%{vex%} vpdpbusd", "ymm", 32)
#undef XT_PEAK_LOOP

// AMX: four sums of 16x16 in whole tiles of zeros. hostCanRun has requested the permission to use AMX.
#define XT_PEAK_TILES(name, instruction, depth)                                                                                \
  double name() {                                                                                                              \
    alignas(64) unsigned char config[64] = {1};                                                                                \
    for (int tile = 0; tile < 8; ++tile) config[16 + 2 * tile] = 64, config[48 + tile] = 16;                                   \
    return best(2.0 * 16 * 16 * (depth) * 4 * kLoops / 16, [&] {                                                               \
      asm volatile("ldtilecfg %1\nmov %0, %%eax\n1:\n.irp r,0,1,2,3\n" instruction " %%tmm6, %%tmm4, %%tmm\\r\n.endr\n"        \
                   "dec %%eax\njnz 1b\ntilerelease\n" ::"i"(kLoops / 16),                                                      \
                   "m"(config)                                                                                                 \
                   : "eax");                                                                                                   \
    });                                                                                                                        \
  }

XT_PEAK_TILES(tilesBf16, "tdpbf16ps", 32)
XT_PEAK_TILES(tilesInt8, "tdpbssd", 64)
#undef XT_PEAK_TILES

MachineRates peakOfCore(const CpuInfo &cpu, Elem elem) {
  if (!cpu.fma) return {};
  const bool wide = cpu.vectorBytes == 64;
  if (elem == Elem::F64) return {elem, wide ? wideF64() : narrowF64(), 0};
  if (elem == Elem::BF16 && cpu.tilesBf16) return {elem, tilesBf16(), 0};
  if (elem == Elem::BF16 && cpu.dotBf16 && wide) return {elem, wideBf16(), 0};
  if (isInteger(elem))
    return {Elem::I8, cpu.tilesBytes ? tilesInt8() : !cpu.dotBytes ? 0 : wide ? wideInt8() : narrowInt8(), 0};
  if (cpu.tilesBf16 && (elem == Elem::F16 || elem == Elem::TF32))
    return {elem, tilesBf16() / (sliceCount(elem) * sliceCount(elem)), 0};
  return {Elem::F32, wide ? wideF32() : narrowF32(), 0};
}
#else
MachineRates peakOfCore(const CpuInfo &, Elem) { return {}; }
#endif

} // namespace

MachineRates measurePeak(const CpuInfo &cpu, Elem elem, int threads) {
  MachineRates rates = peakOfCore(cpu, elem);
  rates.operations *= threads;
  return rates;
}

double measureBandwidth(int threads) {
  constexpr int64_t kBytes = int64_t{64} << 20, kPiece = int64_t{1} << 20;
  // The arrays are larger than most caches. `to` is not initialised, because the first copy writes all of it.
  std::unique_ptr<char[]> from(new char[kBytes]), to(new char[kBytes]);
  std::memset(from.get(), 1, kBytes);
  ThreadPool pool(threads);
  double most = 0;
  for (int i = 0; i < 5; ++i) {
    auto start = std::chrono::steady_clock::now();
    pool.run(kBytes / kPiece, [&](int64_t begin, int64_t end, int) {
      std::memcpy(to.get() + begin * kPiece, from.get() + begin * kPiece, static_cast<size_t>((end - begin) * kPiece));
    });
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (i > 0) most = std::max(most, 2.0 * kBytes / seconds); // the first copy pays for page faults
  }
  return most;
}

bool evictFromCaches(const void *memory, int64_t bytes) {
#ifdef __x86_64__
  const auto *first = static_cast<const char *>(memory);
  for (int64_t at = 0; at < bytes; at += kCacheLine) __builtin_ia32_clflush(first + at);
  if (bytes > 0) __builtin_ia32_clflush(first + bytes - 1);
  __builtin_ia32_mfence();
  return true;
#else
  return memory == nullptr || bytes == 0;
#endif
}

} // namespace xt
