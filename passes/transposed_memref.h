// The transpose of a matrix in memory: what is stored by columns is, by rows, its transpose.
#pragma once
#include "ir/context.h"

namespace xt {

// The type of the same memory with the last two dimensions changed over; memref.cast gives it where the memref is stored by
// columns.
Type transposedMemRef(Context &context, Type memref);

} // namespace xt
