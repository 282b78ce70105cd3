// Guard bytes: a pattern that depends on the place, so that a shifted copy of guard bytes shows as well.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace xt {

// Fills bytes [begin, end) of `memory`; the pattern at an offset depends on the offset and the seed alone.
void fillGuard(std::byte *memory, int64_t begin, int64_t end, uint64_t seed);

struct GuardDamage {
  int64_t first = 0, last = 0; // offsets of the first and the last byte that changed
  int64_t count = 0;           // bytes that changed
};
// What of [begin, end) no longer holds the pattern.
std::optional<GuardDamage> checkGuard(const std::byte *memory, int64_t begin, int64_t end, uint64_t seed);

} // namespace xt
