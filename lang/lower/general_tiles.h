// Replaces tiles that are not windows of adjacent rows and columns, so that the IR has only such windows:
//   - a tile of one, three or more dimensions becomes one window for each position in its leading dimensions;
//   - a tile of a base without a stride of 1, and a tile that is loaded or stored with a mask, becomes a scatter tile where it is
//     used.
// A loop or a branch then carries the offsets of such a tile instead of the tile. Where a base is an address or a swizzled buffer,
// the mask of a load becomes a select.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Works on the whole body of a kernel, before layouts are inferred. Returns false if an error was reported.
bool expandGeneralTiles(KernelState &state);

} // namespace xt
