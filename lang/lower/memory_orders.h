// Replaces the memory orders of atomics by the fences and barriers that they stand for, so that below the front end every
// atomic is relaxed. A release orders what the worker did before the atomic, by a fence in front of it; an acquire orders what
// it does afterwards, by a fence behind it. At workgroup scope the whole workgroup executes the atomic: a barrier in front of
// the first fence and one behind the second include the accesses of all subgroups.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Works on the whole body of a kernel, whose scope must be known.
void expandMemoryOrders(KernelState &state);

} // namespace xt
