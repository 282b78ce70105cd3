// Finds the memory that a tile belongs to, and what its position depends on, as far as the IR shows.
#pragma once
#include "ir/module.h"

#include <vector>

namespace xt {

// The memref parameter of the kernel that a tile belongs to, found through update_tile_offset ops and loop-carried values.
// Null: none, possibly more than one, or the tile was created with its own shape.
const Value *parameterBehind(const Kernel &kernel, const Value *tile);

// Marks the dimensions of the grid that a scalar, or the position of a tile, depends on. Returns false if it depends on
// anything but the grid, the kernel's parameters and the iterations of loops.
bool collectGridDims(const Kernel &kernel, const Value *value, std::vector<bool> &dims);

} // namespace xt
