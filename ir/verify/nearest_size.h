// The size nearest to one that a target does not have: the size whose rows and columns differ by the smallest factor; of two
// equally near ones, the smaller.
#pragma once
#include "ir/gpu/target_info.h"

#include <optional>

namespace xt {

struct BlockSize {
  int64_t rows, columns;
};

// For a 2D block in units of `bits` that one message moves; nullopt if no message moves such elements.
std::optional<BlockSize> nearestBlock(const TargetInfo &target, BlockUse use, int bits, BlockSize wanted);

// For a 1D block, a whole number of elements; nullopt if the target has no such messages.
std::optional<int64_t> nearestLine(const TargetInfo &target, int64_t elements, int64_t elementBytes);

// One of `shapes`, which is not empty.
const MmaShape &nearestProduct(std::span<const MmaShape> shapes, const MmaShape &wanted);

// One of `choices`, which is not empty.
int64_t nearestOf(std::span<const int64_t> choices, int64_t wanted);

} // namespace xt
