// Which scalars may differ between the subgroups of a workgroup.
#pragma once
#include "ir/module.h"

#include <unordered_set>

namespace xt {

// Values of a kernel at subgroup scope that depend on subgroup_id: computed from it, or chosen by a branch or a loop that
// depends on it. What is read from memory counts as the same for all. Looked up, never iterated.
std::unordered_set<const Value *> divergentValues(const Kernel &kernel);

// Whether a region op's body may be run by some subgroups and not by others, or more often.
bool divergesAt(const Op &op, const std::unordered_set<const Value *> &divergent);

} // namespace xt
