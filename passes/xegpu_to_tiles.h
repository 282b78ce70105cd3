#pragma once
#include "passes/pass.h"

#include <functional>

namespace xt {

// Replaces XeGPU ops on blocks and lanes by tile ops that do the same, for targets that have no such hardware: blocks
// become tiles, VNNI forms reshapes and transposes, dpas a tile_mma, lanes with offsets scatter tiles. Named barriers and
// fences stay; hints go. At lane scope each lane reads and writes its elements of a block by itself, and gets those of
// others that dpas needs by shuffles (xegpu_lanes_to_tiles.h).
Result<void> xegpuToTiles(Module &module, Diagnostics &diagnostics);

// The same for some ops of a kernel of whole vectors: those of XeGPU that `chooses` wants replaced, which for one window
// onto memory must be all or none. Decided for all before the first changes.
void xegpuToTiles(Context &context, Kernel &kernel, const std::function<bool(const Op &op)> &chooses);

} // namespace xt
