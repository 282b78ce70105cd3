// Decides which kernels run each subgroup, or each lane, on a stack of its own.
#pragma once
#include "ir/module.h"

namespace xt {

// Whether the kernel is at lane scope, or at subgroup scope with barriers at which a subgroup may wait for others.
bool needsFibers(const Kernel &kernel);

} // namespace xt
