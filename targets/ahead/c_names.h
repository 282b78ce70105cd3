// Names of kernels and parameters as names in C and C++.
#pragma once
#include "ir/module.h"

#include <string>
#include <string_view>
#include <vector>

namespace xt {

// The name with `_` for each character that an identifier cannot have.
std::string cIdentifier(std::string_view name);

// The names of a kernel's parameters in the function that launches it. They differ from each other and from the function's own
// parameters, and mean nothing else in C and C++.
std::vector<std::string> cParameterNames(const Kernel &kernel);

} // namespace xt
