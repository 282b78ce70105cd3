// Products that the target has no instruction for, as loops: they are unrolled, element by element.
#pragma once
#include "ir/module.h"
#include "ir/target_info.h"

namespace xt {

// Makes each tile_mma that the target multiplies element by element, and whose operands are loaded for it alone, a nest
// that goes along K in steps of kProductDepth, if it is large: what a step has does not grow with K. The tiles that are
// loaded, wherever they come from and go to, become as deep as a step. Kernels at subgroup scope.
void formProductLoops(Kernel &kernel, const TargetInfo &target, Context &context);

} // namespace xt
