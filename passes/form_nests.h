// K loops of matrix products as one op, which a processor's code generator packs and blocks as it likes.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"

namespace xt {

// Replaces each `for` that loads tiles a and b, which advance by constants, multiplies them into a carried accumulator
// and does nothing else that lasts, by a `nest`. Transposes, changes of layout and casts that widen between a load and
// the product join the nest; prefetches go. A remark says of each other loop with a tile_mma why it stays.
Result<void> formNests(Module &module, Diagnostics &diagnostics);

} // namespace xt
