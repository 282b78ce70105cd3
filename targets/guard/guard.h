// Guard bytes: a pattern that depends on the offset, so that a shifted copy of guard bytes is detected as well.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace xt {

// Fills bytes [begin, end) of `memory`; the pattern at an offset depends only on the offset and the seed.
void fillGuard(std::byte *memory, int64_t begin, int64_t end, uint64_t seed);

struct GuardDamage {
  int64_t first = 0, last = 0; // offsets of the first and the last byte that changed
  int64_t count = 0;           // bytes that changed
};
// Checks bytes [begin, end) against the pattern; nullopt if all match.
std::optional<GuardDamage> checkGuard(const std::byte *memory, int64_t begin, int64_t end, uint64_t seed);

} // namespace xt
