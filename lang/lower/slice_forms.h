// Slices of vectors of other than two dimensions, which the IR has at workgroup scope for matrices only.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// In a kernel with layouts, replaces such slices by slices of columns of matrices. Works on the whole body, before layouts are
// inferred.
void expandSlices(KernelState &state);

} // namespace xt
