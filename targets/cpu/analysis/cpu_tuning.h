// How fast a processor does what it can do: the data that choices between correct forms of code depend on. Which instructions it
// has is in CpuInfo.
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

struct CacheSize {
  int64_t bytes; // that one core can fill
  int ways;
  bool operator==(const CacheSize &) const = default;
};

struct CpuTuning {
  std::string_view name; // LLVM's name of the processor; empty: all that have no row of their own
  CacheSize first, second, third; // of data
  // Prefetch habits.
  bool prefetchesLateToSecond = false; // prefetcht1 delivers lines later than prefetcht0
  bool foreseesRows = false; // the hardware prefetches the rows of a tile that products read in place
  // Load ports and vector units.
  bool loadsAcrossLines = false; // register loads that cross a cache line take no extra time beside the products of a nest
  bool changesBesideProducts = false; // one conversion of an f16, or one xor, per 3 or 4 products takes almost no time
  bool nearThirdCache = false; // a nest multiplies rows of a from the L3 cache without slowing down

  // The size from which a matrix counts as larger than the L2 cache: 1 MiB on processors with 512 KiB to 2 MiB of it.
  int64_t beyondSecondCache() const;
  // The largest power of two that fits into the L1 cache.
  int64_t roundFirstCache() const;
};

// A number of bytes that was measured where a core reaches 32 MiB or more of L3 cache, in proportion for smaller ones.
inline int64_t ofThirdCache(int64_t bytes, int64_t thirdCache) {
  constexpr int64_t kMeasured = 32 << 20, kUnit = 1 << 10;
  return thirdCache >= kMeasured ? bytes : bytes / kUnit * (thirdCache / kUnit) / (kMeasured / kUnit) * kUnit;
}

// The row of a processor by LLVM's name.
CpuTuning tuningOf(std::string_view name);
std::span<const CpuTuning> tuningRows(); // the last one has no name

// The registers EAX, EBX, ECX and EDX.
using CpuidWords = std::array<uint32_t, 4>;
// A level of the cache hierarchy and its size, from a subleaf of leaf 4 (Intel) or 0x8000001D (AMD); nullopt: the subleaf
// describes a cache of instructions, or none.
struct CacheLevel {
  int level;
  CacheSize size;
};
std::optional<CacheLevel> cacheLevel(const CpuidWords &words);

// Replaces the cache sizes by those of this machine, as far as CPUID tells them.
void useCachesOfHost(CpuTuning &tuning);

} // namespace xt
