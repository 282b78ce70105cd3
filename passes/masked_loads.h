// Loads of tiles with a mask, for passes and targets that load whole tiles.
#pragma once
#include "ir/module.h"

namespace xt {

// Replaces each load of a tile with a mask by one of the whole tile, and a selection of what the mask does not exclude. The front
// end leaves masks only to tiles that may be read as a whole (lang/lower/general_tiles.cc). Others may write elements that the
// mask excludes meanwhile, as their values are not used.
void expandMaskedLoads(Kernel &kernel, Context &context);

} // namespace xt
