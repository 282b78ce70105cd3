// Internal to the pass block-tiles: lets loops carry the offsets of a tile in place of the tile.
#pragma once
#include "ir/module.h"

namespace xt {

// Lets loops carry the row and column offsets of tiles of at least `fewestElements` elements, if the matrix of the tile and its
// offsets are known. In and after the loop, an init_tile makes the tile from the offsets, so that an init_tile can make a part
// of it, too.
void carryOffsets(Kernel &kernel, int64_t fewestElements, Context &context);

} // namespace xt
