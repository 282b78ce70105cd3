// Remarks about the cost of a kernel's layouts: which ops move elements between subgroups, and how many bytes.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"

namespace xt {

// Reports remarks (04xx) on a kernel at workgroup scope: one for each convert_layout, transpose and reduction, and one for
// each operand of a tile_mma whose K is spread over several subgroups. A remark states the bytes that move between subgroups
// and the barriers that this takes on a machine with shared local memory, or that nothing moves.
void remarkMovements(const Kernel &kernel, Context &context, std::span<const LayoutAlias> aliases, Diagnostics &diagnostics);

} // namespace xt
