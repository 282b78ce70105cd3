// Symbols of device functions, as the Itanium ABI mangles those of OpenCL C.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// Types are in their mangled form: "f", "Dv8_s", "PU3AS1v". No parameters: "v" is added.
std::string mangledSymbol(std::string_view name, const std::vector<std::string> &parameters);

} // namespace xt
