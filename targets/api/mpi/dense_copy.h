// Copies between arrays with strides and memory without gaps.
#pragma once
#include "ir/launch.h"

#include <cstddef>
#include <vector>

namespace xt {

// Whether the elements of an array lie in row-major order without gaps.
bool isDense(const BufferView &array);

// Copy all elements of an array to memory in row-major order without gaps, and back.
void pack(const BufferView &array, std::byte *dense);
void unpack(const std::byte *dense, const BufferView &array);

// The memory that an array spans, from its first byte to behind its last one; false if 64 bits cannot hold the number of its bytes, or if
// a stride is negative.
bool spanOf(const BufferView &array, int64_t &bytes);

} // namespace xt
