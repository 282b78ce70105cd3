// Finds column vectors (one element per row, as row reductions produce) that can be stored without padding between elements.
#pragma once
#include "ir/module.h"

#include <unordered_set>

namespace xt {

// Finds the M x 1 vectors that only row reductions, pointwise ops and `for` loops produce, and that only pointwise ops, loops
// and broadcasts to rows consume. Loops over them process whole registers. Any other M x 1 vector takes a cache line per
// element, like every row.
std::unordered_set<const Value *> findDenseColumns(const Kernel &kernel);

} // namespace xt
