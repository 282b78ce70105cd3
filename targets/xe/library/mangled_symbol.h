// Mangles the names of device functions by the Itanium ABI, as OpenCL C does.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// Returns the symbol of a function with parameters of these types, which are in their mangled form: "f", "Dv8_s", "PU3AS1v".
// Without parameters, the symbol ends in "v".
std::string mangledSymbol(std::string_view name, const std::vector<std::string> &parameters);

} // namespace xt
