// block-tiles: cuts the tiles and vectors of kernels at subgroup scope into blocks of the hardware's size. A tile that 2D
// block messages can take becomes XeGPU loads, stores and prefetches; products become dpas where the target has one for
// their types; everything else becomes the same op on blocks, with a remark that gives the rule. What the kernel computes
// stays the same; the terms of a reduction are added in another order.
#pragma once
#include "passes/pass.h"

namespace xt {

// Kernels at workgroup scope are an error: distribute-to-subgroups comes first.
Result<void> blockTiles(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
