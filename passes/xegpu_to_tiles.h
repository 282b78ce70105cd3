#pragma once
#include "passes/pass.h"

#include <functional>

namespace xt {

// Replaces XeGPU ops on blocks and lanes by equivalent tile ops, for targets without such hardware: blocks become tiles, VNNI
// forms become reshapes and transposes, dpas becomes a tile_mma, and lanes with offsets become scatter tiles. Named barriers
// and fences stay; hints are dropped. At lane scope, each lane reads and writes its own elements of a block, and shuffles
// provide the elements of other lanes that dpas needs (xegpu_lanes_to_tiles.h).
Result<void> xegpuToTiles(Module &module, Diagnostics &diagnostics);

// Replaces a selection of the XeGPU ops of a kernel that is not at lane scope: those for which `chooses` returns true, or all
// if it is null. It must choose all ops of a window onto memory or none. All decisions are made before the first change.
void xegpuToTiles(Context &context, Kernel &kernel, const std::function<bool(const Op &op)> &chooses);

} // namespace xt
