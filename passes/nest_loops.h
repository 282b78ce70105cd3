// Nests as the loops that they stand for, for hardware whose products a pass cuts out of the loop's body.
#pragma once
#include "ir/module.h"

namespace xt {

// Replaces every `nest` of the kernel by a `for` that loads, multiplies and moves on. Where layouts are known, what is
// loaded is converted to how the product wants it.
void expandNests(Kernel &kernel, Context &context);

} // namespace xt
