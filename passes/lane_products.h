// Products at lane scope for targets without a matrix unit.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/builder.h"
#include "ir/gpu/target_info.h"

namespace xt {

// The rows that a lane holds of b, [K, n], from any form of its fragment in `dpas` (ir/gpu/lane_fragments.h).
Value *rowsOfB(Builder &builder, Value *fragment, int64_t depth);

// Replaces each `dpas` of a kernel at lane scope: shuffles bring all elements of a to every lane, which multiplies them with its
// columns of b. A remark tells it.
void expandLaneProducts(Kernel &kernel, Context &context, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
