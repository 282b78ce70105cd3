// stage-products: lets a loop that multiplies tiles of global memory load them from shared local memory, to which asynchronous copies
// bring them several iterations ahead, for targets with such copies.
#pragma once
#include "passes/pass.h"

namespace xt {

// The operands of a `tile_mma` that a loop loads from tiles which it advances become copies into rings of buffers. Each iteration
// waits for its own copies, with one barrier, and begins those of a later iteration into the buffers that the one before has read.
// The kernel must be at workgroup scope; others stay as they are.
Result<void> stageProducts(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
