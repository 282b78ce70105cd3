// Which memory tiles are cut from, and what their place depends on, as far as the IR tells.
#pragma once
#include "ir/module.h"

#include <vector>

namespace xt {

// The memref among the kernel's parameters that a tile lies in, however it was moved and carried through loops; null: none, or
// more than one may be, or the tile was made with a shape of its own.
const Value *parameterBehind(const Kernel &kernel, const Value *tile);

// Marks the dimensions of the grid that a value depends on: a scalar, or where a tile lies. False: it depends on more than
// those, the kernel's parameters and the turns of loops.
bool collectGridDims(const Kernel &kernel, const Value *value, std::vector<bool> &dims);

} // namespace xt
