// Masks of accesses to tiles.
#pragma once
#include "ir/op.h"

namespace xt {

// The operand of a load_tile, a store_tile or an atomic op on tiles that is the tile; 0 for other ops.
size_t accessedTileIndex(const Op &op);

// The mask of such an op on a block of elements, which is the operand behind the tile. Null if the op has none, and for scatter
// tiles, whose accesses always have a mask.
Value *blockMaskOf(const Op &op);

} // namespace xt
