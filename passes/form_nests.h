// form-nests: replaces K loops of matrix products by one op each, which a processor's code generator is free to pack and block.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"

namespace xt {

// Replaces each `for` by a `nest` if it loads two tiles that advance by constants, multiplies them into a carried accumulator,
// and has no other lasting effect. Transposes, layout conversions and widening casts between a load and the product become part
// of the nest; prefetches are dropped. For every other loop with a tile_mma, a remark gives the reason why it stays.
Result<void> formNests(Module &module, Diagnostics &diagnostics);

} // namespace xt
