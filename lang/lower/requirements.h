// The clause `requires (…)` of a kernel's header.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Lowers the conditions to ops at the builder's position, in the grid's block, where only the kernel's parameters are known.
// `same_shape(%A, %B, …)` becomes one condition for each dimension of each array but the first.
void lowerRequirements(KernelState &state);

} // namespace xt
