// Reductions, scans and broadcasts of vectors of other than two dimensions, which the IR has for matrices only.
#pragma once
#include "lang/lower/op_draft.h"

namespace xt {

// Whether the op of the draft works along one dimension of a vector that is no matrix.
bool needsMatrixForm(const OpDraft &draft);

// Makes the op of such a draft, whose types have been checked, of the same op on a matrix: a reshape, or a transpose of blocks,
// makes the dimension that the op works along one of a matrix, and the last reshape makes `result` of what the op gives.
// Returns the last reshape; null if an error was reported.
Op *emitMatrixForm(KernelState &state, OpDraft &draft, Type result);

} // namespace xt
