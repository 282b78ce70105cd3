// The offset of elements that are outside of their base in some dimension, where offsets count elements in memory.
#pragma once
#include <cstdint>

namespace xt {

// Far from the elements of any memref, so that a tile that is moved does not reach one, and an i32.
inline constexpr int64_t kOutsideOffset = -(int64_t{1} << 31);

// Whether an offset is that one, from which a tile may have been moved.
inline constexpr bool isOutsideOffset(int64_t offset) { return offset < kOutsideOffset / 2; }

} // namespace xt
