// What to write for the names that other languages and libraries give to computations: NumPy, PyTorch, Triton, CUDA.
#pragma once
#include <string_view>

namespace xt {

// A note for an unknown function or op of this name; "" if nothing is known of it.
std::string_view noteOnForeignName(std::string_view name);

} // namespace xt
