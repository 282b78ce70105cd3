// What the forms `disjoint` and `disjoint_or_same` promise of the arguments of each launch.
#pragma once
#include "ir/launch.h"
#include "ir/module.h"

#include <string>
#include <vector>

namespace xt {

// Why the arguments break what the kernel's forms promise of them; "" where they keep it, or the kernel has neither form.
// Arrays are taken to fill the memory between their first and their last byte.
std::string whyNotDisjoint(const Kernel &kernel, const std::vector<LaunchArg> &args);

// The same as an Error, for what can run the kernel only as its forms promise.
Result<void> checkDisjoint(const Kernel &kernel, const std::vector<LaunchArg> &args);

} // namespace xt
