// Scatter tiles of memrefs of two and more dimensions: `init_tile %A[%rows, %columns] -> tile<16x64xf32, #scatter>`.
#pragma once
#include "lang/lower/op_draft.h"

namespace xt {

// If the draft makes a scatter tile from one offset for each dimension of a memref of two or more dimensions, replaces these
// operands by the memref's elements in one dimension and one vector of offsets. An element that is out of bounds in any dimension
// gets an offset that is out of bounds. Offsets are stretched to the shape of the tile. Returns false if an error was reported.
bool flattenScatter(KernelState &state, OpDraft &draft);

} // namespace xt
