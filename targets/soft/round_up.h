#pragma once
#include <cstddef>

namespace xt::soft {

// The least multiple of `multiple` that is not less than `value`; the sum of both fits size_t.
constexpr size_t roundUp(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

} // namespace xt::soft
