#pragma once
#include "passes/pass.h"

namespace xt {

// Replaces XeGPU ops on blocks and lanes by tile ops that do the same, for targets that have no such hardware: blocks
// become tiles, VNNI forms reshapes and transposes, dpas a tile_mma, lanes with offsets scatter tiles. Named barriers and
// fences stay; hints go.
Result<void> xegpuToTiles(Module &module, Diagnostics &diagnostics);

} // namespace xt
