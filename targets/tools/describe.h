// What the kernels of a module are, for `xtrun --describe`.
#pragma once
#include "ir/base/source.h"
#include "ir/module.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace xt {

// The file's parameters; then of `only`, or of all kernels where it is null: signature, grid, scope and subgroups, the
// layouts in use with what a subgroup holds of one vector or tile, shared local memory, and operations and bytes
// (ir/cost.h) of a workgroup, and of a launch where the number of workgroups follows from the types.
std::string describeText(const Module &module, const Kernel *only, const SourceManager &sources);
// The same: {"parameters": [...], "kernels": [...]}.
nlohmann::ordered_json describeJson(const Module &module, const Kernel *only, const SourceManager &sources);

} // namespace xt
