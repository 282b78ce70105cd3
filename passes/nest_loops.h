// Expands nests into loops, for passes that cut the product in the loop body into smaller ones.
#pragma once
#include "ir/module.h"

namespace xt {

// Replaces every `nest` of the kernel by a `for` that loads, multiplies and advances the tiles. If layouts are known, the
// loaded values are converted to the layouts that the product needs.
void expandNests(Kernel &kernel, Context &context);

} // namespace xt
