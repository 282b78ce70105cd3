// Finds the size that a target supports and that is nearest to a size that it does not support: the product of the factors by
// which their extents differ is the smallest. Of equally near sizes, the smallest one is chosen.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/module.h"

#include <optional>

namespace xt {

struct BlockSize {
  int64_t rows, columns;
};

// The nearest 2D block of elements of `bits` bits that one message moves; nullopt if no message moves such elements.
std::optional<BlockSize> nearestBlock(const TargetInfo &target, BlockUse use, int bits, BlockSize wanted);

// The nearest length of a 1D block, in whole elements; nullopt if the target has no such messages.
std::optional<int64_t> nearestLine(const TargetInfo &target, int64_t elements, int64_t elementBytes);

// The nearest of `shapes`, which must not be empty.
const MmaShape &nearestProduct(std::span<const MmaShape> shapes, const MmaShape &wanted);

// The nearest of `choices`, which must not be empty.
int64_t nearestOf(std::span<const int64_t> choices, int64_t wanted);

// What a kernel at lane scope would need for another number of lanes: "`lanes(32)` is the nearest that works; 2 layouts are for 16 lanes:
// #sg_map<…>, …" with up to two of those that are used; without them if there are none.
std::string nearestLanesText(const Kernel &kernel, std::span<const int64_t> sizes);

} // namespace xt
