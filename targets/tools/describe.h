// What the kernels of a module are, for `xtrun --describe`.
#pragma once
#include "ir/module.h"

#include <string>

namespace xt {

// Signature, grid, scope and subgroups, layouts in use with what a subgroup holds, shared local memory, and operations and
// bytes (ir/cost.h). Of one kernel, or of all where `kernel` is empty. JSON: one array.
std::string describe(const Module &module, const std::string &kernel, bool json);

} // namespace xt
