// The code size of one lane's part of a kernel on a GPU, where vectors are unrolled element by element.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"

#include <functional>

namespace xt {

// The limit on operations on single elements in the code of one lane. A kernel of this size takes half a minute to compile, and
// its values need many times the registers that there are.
inline constexpr int64_t kMostElementOps = int64_t{1} << 16;

// The limit per lane before the tiles of a subgroup are cut into blocks. The count is only approximate at this point: blocks
// compute shared subexpressions once, and products become loops.
inline constexpr int64_t kMostElementOpsOfTiles = 4 * kMostElementOps;

// The limit per lane after they are cut and before the blocks are distributed over lanes. An op on a block becomes an op on
// each lane's part of it, or many that move elements between lanes; what a lane computes once for several blocks has been at
// most an eighth of the count (by which the kernels of this tree and of its tests were measured).
inline constexpr int64_t kMostElementOpsOfBlocks = kMostElementOps / 4 * 5;

// Reports an error and returns false if a kernel at lane scope has more than kMostElementOps operations on single elements: an
// op counts its elements, a matrix product its multiplications; the body of a loop counts once. The error is at the op of the
// source from which most of these operations come, and names the nearest size that fits.
bool codeFits(const Kernel &kernel, Diagnostics &diagnostics);

// Reports an error of this kind and returns false if a kernel at subgroup or workgroup scope has more than
// kMostElementOpsOfTiles operations per lane.
bool tilesFit(const Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics);

// Reports an error of this kind and returns false if a kernel whose tiles are cut into blocks has more than
// kMostElementOpsOfBlocks operations per lane: it would not pass codeFits() after much more work. Counts the multiplications of
// products that lanes compute themselves, and the operations of each lane that bring it the operands of such a product
// (`exchangeOps`): no pass merges these.
bool blocksFit(const Kernel &kernel, int64_t lanes, const std::function<int64_t(const Op &)> &exchangeOps,
               Diagnostics &diagnostics);

} // namespace xt
