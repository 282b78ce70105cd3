// Finds the values that may differ between the subgroups of a workgroup, or between the lanes of a subgroup.
#pragma once
#include "ir/module.h"

#include <unordered_set>

namespace xt {

enum class Among : uint8_t { Workgroup, Subgroup };
// How to treat a value that is read at a divergent address. An error must be certain before it is reported, so the value is
// TakenAsSame for all. A guarantee must hold whatever memory contains, so the value MayDiffer. Kernels are taken to be free of
// races: loads at the same address give the same value.
enum class LoadedValues : uint8_t { TakenAsSame, MayDiffer };
// The values of a kernel at subgroup or lane scope that depend on subgroup_id or lane_id (among the workgroup), or on lane_id
// (among the lanes of a subgroup): they are computed from it, or chosen by a branch or a loop that depends on it. Use the set
// for lookup only: its order is not deterministic.
std::unordered_set<const Value *> divergentValues(const Kernel &kernel, Among among = Among::Workgroup,
                                                  LoadedValues loaded = LoadedValues::TakenAsSame);

// Whether some subgroups may run a body of the region op more often than others, or not at all: its condition or bounds are in
// `divergent`.
bool divergesAt(const Op &op, const std::unordered_set<const Value *> &divergent);

} // namespace xt
