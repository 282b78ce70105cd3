// Columns of one element a row, as reductions of rows give them, that lie side by side in scratch memory.
#pragma once
#include "ir/module.h"

#include <unordered_set>

namespace xt {

// Vectors of M x 1 that only reductions of rows, pointwise ops and `for` loops make, and only pointwise ops, loops and broadcasts
// to rows use: loops over them take whole registers. Others have a line of memory for each element, as every row has.
std::unordered_set<const Value *> findDenseColumns(const Kernel &kernel);

} // namespace xt
