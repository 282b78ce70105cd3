// Checks the arguments of a launch against the promise of the kernel's form `disjoint` or `disjoint_or_same`.
#pragma once
#include "ir/launch.h"
#include "ir/module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace xt {

// How the arguments of a launch may overlap, by the kernel's forms: anyhow, not at all, or only as the same array. The numbers
// are in the tables of libraries (targets/ahead/xtrt.h), so they keep their meaning.
enum class OverlapRule : uint8_t { Any, Disjoint, DisjointOrSame };
OverlapRule overlapRuleOf(const Kernel &kernel);

// Returns the reason why the arguments break the promise of the kernel's forms; "" if they keep it, or if the kernel has
// neither form. Each array is assumed to occupy all memory between its first and its last byte.
std::string whyNotDisjoint(const Kernel &kernel, const std::vector<LaunchArg> &args);
// The same by a rule that is given, for callers that know which parameters the kernel writes (KernelEffects::writes); its body
// may be missing.
std::string whyNotDisjoint(OverlapRule rule, const Kernel &kernel, const std::vector<bool> &writes,
                           const std::vector<LaunchArg> &args);

// Returns an Error with this reason if there is one. For callers that can run the kernel only if the promise is kept.
Result<void> checkDisjoint(const Kernel &kernel, const std::vector<LaunchArg> &args);

} // namespace xt
