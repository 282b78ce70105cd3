// Data on the speed of processors, from which the emitter chooses between forms of code that are all correct. CpuInfo says
// which instructions a processor has.
//
// A named microarchitecture has a row with what was measured on it; all other processors share one row. The cache sizes of the
// host come from CPUID. tests/bench/cpu/tuning.md lists the measurements behind each number.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace xt {

struct CpuTuning {
  std::string_view name; // LLVM's name of the processor; empty: the row of all processors without a row of their own
  int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0; // of the data caches that one core can fill
  // Prefetches.
  bool l2PrefetchIsLate = false; // prefetcht1 delivers lines later than prefetcht0
  bool hardwarePrefetchesRows = false; // the hardware prefetches the rows of a tile that products read in place
  // Load ports and vector units.
  bool lineSplitLoadsAreFree = false; // the loop of a microkernel takes no longer if its loads cross cache lines
  bool hidesConversions = false; // one conversion of an f16, or one xor, per three or four products takes almost no time
  bool l3IsFast = false; // a microkernel that reads rows of `a` from the L3 cache takes no longer

  // The size from which a matrix counts as larger than the L2 cache: 1 MiB on processors with 512 KiB to 2 MiB of L2 cache.
  int64_t beyondL2Bytes() const;
  // The largest power of two that fits into the L1 cache.
  int64_t l1PowerOfTwo() const;
};

// Scales a number of bytes to the L3 cache. The number was measured on cores that reach 32 MiB or more of L3 cache, and is
// reduced in proportion for smaller caches.
inline int64_t scaledToL3(int64_t bytes, int64_t l3Bytes) {
  constexpr int64_t kMeasured = 32 << 20, kUnit = 1 << 10;
  return l3Bytes >= kMeasured ? bytes : bytes / kUnit * (l3Bytes / kUnit) / (kMeasured / kUnit) * kUnit;
}

std::span<const CpuTuning> tuningRows(); // the last one has no name
// The row of a processor by LLVM's name, with the facts that hold for code with registers of `vectorBytes`: some were measured
// with registers of 64 bytes only.
CpuTuning tuningOf(std::string_view name, int vectorBytes);

// The registers EAX, EBX, ECX and EDX.
using CpuidWords = std::array<uint32_t, 4>;
// A level of the cache hierarchy and its size, from a subleaf of leaf 4 (Intel) or 0x8000001D (AMD); nullopt: the subleaf
// describes a cache of instructions, or none.
struct CacheLevel {
  int level;
  int64_t bytes;
};
std::optional<CacheLevel> cacheLevel(const CpuidWords &words);

// Replaces the cache sizes by those of this machine, as far as CPUID reports them.
void useCachesOfHost(CpuTuning &tuning);

} // namespace xt
