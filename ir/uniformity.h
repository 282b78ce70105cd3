// Which scalars may differ between the subgroups of a workgroup, or the lanes of a subgroup.
#pragma once
#include "ir/module.h"

#include <unordered_set>

namespace xt {

enum class Among : uint8_t { Workgroup, Subgroup };
// Whether a value that is read at a divergent address counts as the same for all: a user's mistake must be certain before it
// is reported, and a guarantee must hold whatever memory contains.
enum class LoadedValues : uint8_t { TakenAsSame, MayDiffer };
// Values of a kernel at subgroup or lane scope that depend on subgroup_id or lane_id (among the workgroup), or on lane_id
// (among the lanes of a subgroup): computed from it, or chosen by a branch or a loop that depends on it. Looked up, never
// iterated.
std::unordered_set<const Value *> divergentValues(const Kernel &kernel, Among among = Among::Workgroup,
                                                  LoadedValues loaded = LoadedValues::TakenAsSame);

// Whether a region op's body may be run by some subgroups and not by others, or more often.
bool divergesAt(const Op &op, const std::unordered_set<const Value *> &divergent);

} // namespace xt
