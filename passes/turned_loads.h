// Transposes whose operand comes straight from memory: the load turns it instead.
#pragma once
#include "ir/module.h"

namespace xt {

// Replaces each transpose [1, 0] of what is loaded, or computed element by element from loads and constants, where
// nothing else uses it, by loads that transpose. Kernels at subgroup scope: no layouts are looked at.
void foldTransposesIntoLoads(Kernel &kernel, Context &context);

} // namespace xt
