// Internal to the pass block-tiles: lets loops carry where a tile begins in place of the tile.
#pragma once
#include "ir/module.h"

namespace xt {

// After this, tiles of at least `fewestElements` that loops carry are init_tile ops of the offsets that the loops carry,
// wherever it is known which matrix they look into. So a part of such a tile can be looked into by an init_tile, too.
void carryOffsets(Kernel &kernel, int64_t fewestElements, Context &context);

} // namespace xt
