// What to write for the names that other languages and libraries give to computations: NumPy, PyTorch, Triton, CUDA.
#pragma once
#include <string_view>

namespace xt {

// A note for an unknown function or op of this name, which may have a prefix (`tl.cdiv`) or a member (`threadIdx.x`); "" if
// nothing is known of it.
std::string_view noteOnForeignName(std::string_view name);

} // namespace xt
