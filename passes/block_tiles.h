// block-tiles: cuts the tiles and vectors of kernels at subgroup scope into blocks of the hardware's size. A tile that 2D
// block messages can access becomes XeGPU loads, stores and prefetches; a product becomes dpas if the target has one for its
// types; every other op becomes ops of the same kind on blocks. A remark gives the reason if a load, a store or a product
// cannot use the hardware's messages and instructions. Results stay the same, except that the terms of a reduction are added
// in another order.
#pragma once
#include "passes/pass.h"

namespace xt {

// Kernels at workgroup scope are an error: run distribute-to-subgroups first.
Result<void> blockTiles(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
