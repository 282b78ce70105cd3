#include "targets/guard/guard.h"

#include <algorithm>

namespace xt {

namespace {
// The finaliser of SplitMix64: every bit of the word depends on every bit of the offset.
uint64_t guardWord(int64_t word, uint64_t seed) {
  uint64_t x = static_cast<uint64_t>(word) * 0x9E3779B97F4A7C15ull + seed;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// Calls f(offset, byte) for each offset in the range.
template <class F> void eachByte(int64_t begin, int64_t end, uint64_t seed, F f) {
  for (int64_t at = begin; at < end;) {
    int64_t word = at >> 3; // rounds towards minus infinity, because offsets before the data are negative
    uint64_t pattern = guardWord(word, seed);
    for (int64_t stop = std::min(end, (word + 1) * 8); at < stop; ++at)
      f(at, static_cast<std::byte>(pattern >> ((at & 7) * 8)));
  }
}
} // namespace

void fillGuard(std::byte *memory, int64_t begin, int64_t end, uint64_t seed) {
  eachByte(begin, end, seed, [&](int64_t at, std::byte byte) { memory[at] = byte; });
}

std::optional<GuardDamage> checkGuard(const std::byte *memory, int64_t begin, int64_t end, uint64_t seed) {
  GuardDamage damage;
  eachByte(begin, end, seed, [&](int64_t at, std::byte byte) {
    if (memory[at] == byte) return;
    if (damage.count == 0) damage.first = at;
    damage.last = at;
    ++damage.count;
  });
  if (damage.count == 0) return std::nullopt;
  return damage;
}

} // namespace xt
