// Combines hashes of parts. Hashes are used for lookup only: no order of output depends on them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace xt {

inline void mixHash(size_t &seed, size_t value) { seed ^= value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2); }
inline void mixHashes(size_t &seed, std::span<const int64_t> values) {
  mixHash(seed, values.size());
  for (int64_t v : values) mixHash(seed, static_cast<size_t>(v));
}

} // namespace xt
