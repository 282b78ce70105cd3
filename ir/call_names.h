// The names that expressions of kernels call: `max(%a, 1.0)`, `exp(%x)`. All other ops are statements.
#pragma once
#include <string_view>
#include <vector>

namespace xt {

// "max", "subgroup_id", "exp", "math.exp". An op that is no function computes no single value per element: `load_tile`.
bool isFunctionName(std::string_view name);
// Those that a misspelt one is compared with.
std::vector<std::string_view> functionNames();

} // namespace xt
