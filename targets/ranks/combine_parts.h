// Sums and other combinations of what ranks hold.
#pragma once
#include "ir/elem.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace xt {

// Whether ranks can combine elements of a type by a kind of combineKinds() (ir/host.h).
bool canCombine(std::string_view kind, Elem elem);

// Combines `count` elements of each array in the order of the arrays: to[i] = ((a0[i] + a1[i]) + a2[i]) + … Sums and products of
// floats of 16 and 8 bits are taken in f32 and rounded once. `to` may be one of the arrays.
void combineParts(std::string_view kind, Elem elem, std::span<const std::byte *const> arrays, int64_t count, std::byte *to);

} // namespace xt
