// Describes the kernels of a module, for `xtrun --describe`.
#pragma once
#include "ir/base/source.h"
#include "ir/module.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace xt {

// Lists the file's parameters and then, for `only` or for all kernels if it is null: signature, grid, scope and subgroups, the
// layouts in use with a subgroup's share of one vector or tile, shared local memory, and the operations and bytes (ir/cost.h)
// of a workgroup, and also of a launch if the number of workgroups follows from the types.
std::string describeText(const Module &module, const Kernel *only, const SourceManager &sources);
// The same as JSON: {"parameters": [...], "kernels": [...]}.
nlohmann::ordered_json describeJson(const Module &module, const Kernel *only, const SourceManager &sources);

} // namespace xt
