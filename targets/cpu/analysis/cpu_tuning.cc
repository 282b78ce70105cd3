#include "targets/cpu/analysis/cpu_tuning.h"

#include <algorithm>
#include <bit>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace xt {
namespace {

constexpr int64_t kKiB = 1 << 10, kMiB = 1 << 20;

constexpr CpuTuning kRows[] = {
    {.name = "znver3", .l1Bytes = 32 * kKiB, .l2Bytes = 512 * kKiB, .l3Bytes = 32 * kMiB},
    {.name = "znver4", .l1Bytes = 32 * kKiB, .l2Bytes = 1 * kMiB, .l3Bytes = 32 * kMiB, .lineSplitLoadsAreFree = true},
    {.name = "znver5",
     .l1Bytes = 48 * kKiB,
     .l2Bytes = 1 * kMiB,
     .l3Bytes = 32 * kMiB,
     .l2PrefetchIsLate = true,
     .hardwarePrefetchesRows = true,
     .lineSplitLoadsAreFree = true,
     .hidesConversions = true,
     .l3IsFast = true},
    // Intel's server processors since Sapphire Rapids, on which most shapes were measured.
    {.name = "", .l1Bytes = 48 * kKiB, .l2Bytes = 2 * kMiB, .l3Bytes = 32 * kMiB},
};

} // namespace

std::span<const CpuTuning> tuningRows() { return kRows; }

CpuTuning tuningOf(std::string_view name, int vectorBytes) {
  constexpr int kMeasured = 64;
  const CpuTuning *row = std::ranges::find(kRows, name, &CpuTuning::name);
  CpuTuning tuning = row == std::end(kRows) ? *std::prev(std::end(kRows)) : *row;
  tuning.lineSplitLoadsAreFree &= vectorBytes == kMeasured;
  tuning.hidesConversions &= vectorBytes == kMeasured;
  return tuning;
}

int64_t CpuTuning::beyondL2Bytes() const { return std::min(2 * l2Bytes, kMiB); }

int64_t CpuTuning::l1PowerOfTwo() const { return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(l1Bytes))); }

// Decodes leaf 4 as in Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID, or function 8000_001D as
// in AMD64 Architecture Programmer's Manual, volume 3, appendix E. The fields have the same bit positions in both.
std::optional<CacheLevel> cacheLevel(const CpuidWords &words) {
  constexpr uint32_t kData = 1, kUnified = 3;
  const uint32_t type = words[0] & 31;
  if (type != kData && type != kUnified) return std::nullopt;
  const int64_t line = (words[1] & 0xFFF) + 1, partitions = ((words[1] >> 12) & 0x3FF) + 1, ways = (words[1] >> 22) + 1,
                sets = int64_t{words[2]} + 1;
  return CacheLevel{static_cast<int>((words[0] >> 5) & 7), line * partitions * ways * sets};
}

void useCachesOfHost(CpuTuning &tuning) {
#ifdef __x86_64__
  constexpr uint32_t kIntel = 4, kAmd = 0x8000001D, kTypes = 31, kMostCaches = 8;
  for (uint32_t leaf : {kAmd, kIntel})
    for (uint32_t i = 0; i < kMostCaches; ++i) {
      CpuidWords words{};
      if (!__get_cpuid_count(leaf, i, &words[0], &words[1], &words[2], &words[3]) || (words[0] & kTypes) == 0) break;
      const std::optional<CacheLevel> cache = cacheLevel(words);
      if (!cache) continue;
      if (cache->level == 1) tuning.l1Bytes = cache->bytes;
      if (cache->level == 2) tuning.l2Bytes = cache->bytes;
      if (cache->level == 3) tuning.l3Bytes = cache->bytes;
    }
#else
  (void)tuning;
#endif
}

} // namespace xt
