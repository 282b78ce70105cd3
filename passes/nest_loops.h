// Expands nests into loops, for passes that cut the product in the loop body into smaller ones.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"

namespace xt {

// Replaces every `nest` of the kernel by a `for` that loads, multiplies and advances the tiles. If layouts are known, the
// loaded values are converted to the layouts that the product needs. Reports an error for a nest whose rows are given.
Result<void> expandNests(Kernel &kernel, Context &context, Diagnostics &diagnostics);

} // namespace xt
