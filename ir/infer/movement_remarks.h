// Remarks about the cost of a kernel's layouts: which ops move elements between subgroups, and how many bytes.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"

namespace xt {

// Reports a remark (04xx) for each convert_layout, transpose, reduction and tile_mma of a kernel at workgroup scope whose
// operands cross subgroups, with the bytes and the barrier that this takes on a machine with shared local memory.
void remarkMovements(const Kernel &kernel, Context &context, std::span<const LayoutAlias> aliases, Diagnostics &diagnostics);

} // namespace xt
