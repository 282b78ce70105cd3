// Replaces products that the target has no instruction for by loops, because they would otherwise be unrolled element by
// element.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"

namespace xt {

// Turns a large tile_mma that the target multiplies element by element, and whose operands are loaded for it alone, into a nest
// along K in steps of kProductDepth, or half of it where the registers are few, so that the code of one step does not grow with
// K. The loaded tiles get the depth of one step, and so does everything that defines or uses them. For kernels at subgroup
// scope. Remark XT0624 tells where an operand loses the layout of lanes that the kernel states.
void formProductLoops(Kernel &kernel, const TargetInfo &target, Context &context, Diagnostics &diagnostics);

} // namespace xt
