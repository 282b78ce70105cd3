// Where programs of other packages are.
#pragma once
#include <string>
#include <string_view>

namespace xt {

// The path of an executable file in PATH; "" if it is not found.
std::string programInPath(std::string_view name);

} // namespace xt
