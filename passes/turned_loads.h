// Folds transposes of loaded values into the loads.
#pragma once
#include "ir/module.h"

namespace xt {

// Replaces a transpose [1, 0] by transposing loads, if its operand is loaded, or computed elementwise from loads and
// constants, and has no other use. For kernels at subgroup scope, which have no layouts to consider.
void foldTransposesIntoLoads(Kernel &kernel, Context &context);

} // namespace xt
