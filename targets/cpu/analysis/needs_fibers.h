// Which kernels run each subgroup, or each lane, on a stack of its own.
#pragma once
#include "ir/module.h"

namespace xt {

// Kernels at subgroup scope whose subgroups wait for each other, and all kernels at lane scope.
bool needsFibers(const Kernel &kernel);

} // namespace xt
