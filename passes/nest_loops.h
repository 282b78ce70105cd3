// Expands nests into loops, for hardware whose products a pass cuts out of the loop body.
#pragma once
#include "ir/module.h"

namespace xt {

// Replaces every `nest` of the kernel by a `for` that loads, multiplies and advances the tiles. Where layouts are
// known, the loaded values are converted to the layouts that the product needs.
void expandNests(Kernel &kernel, Context &context);

} // namespace xt
