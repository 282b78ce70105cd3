// The transpose of a matrix in memory: a matrix that is stored by columns is the transpose of one stored by rows.
#pragma once
#include "ir/context.h"

namespace xt {

// The type of the same memory with the last two dimensions swapped. memref.cast converts a memref stored by columns to it.
Type transposedMemRef(Context &context, Type memref);

} // namespace xt
