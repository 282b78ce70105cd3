// Internal to the pass distribute-to-subgroups: changes a kernel at workgroup scope so that its subgroups exchange less.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"

namespace xt {

// Lets each subgroup load the part of a matrix that its products need, as it is or transposed, or that its conversions need, in
// place of loading another part and exchanging it for this one. This is done for matrices that the kernel does not write. The
// kernel gets the form `disjoint` then, so that only targets that check it do this. A remark says which loads these are, as a
// remark of layout inference says of such code that it exchanges elements. Loads must not have masks: expandMaskedLoads()
// (passes/masked_loads.h) has run.
void loadWhatIsUsed(Kernel &kernel, const TargetInfo &target, Context &context, Diagnostics &diagnostics);

// Reduces a vector before its layout is converted where only the reduced vector is used: what the subgroups exchange is a
// partial result of each. A remark says where.
void reduceBeforeConversions(Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics);

// The layout in which each subgroup has all of K of its rows of a, or columns of b, where the vector is spread along K and only
// multiplied; null otherwise.
const Layout *multipliedLayout(Context &context, const Value *vector);

} // namespace xt
