// The names of functions in kernel expressions: `max(%a, 1.0)`, `exp(%x)`. All other ops are statements.
#pragma once
#include <string_view>
#include <vector>

namespace xt {

// True for "max", "subgroup_id", "exp", "math.exp"; false for ops that do not compute one value per element, such as
// `load_tile`.
bool isFunctionName(std::string_view name);
// The names that a misspelt function name is compared with.
std::vector<std::string_view> functionNames();

} // namespace xt
