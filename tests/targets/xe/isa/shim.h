// Defines the functions of cl_intel_subgroup_2d_block_io for a compiler that is too old to have them, in terms of functions
// that it has. This allows inspecting the instructions that the compiler generates for a kernel; it is never part of a program
// that runs.
#pragma once
#include <string>

namespace xt::test {

// Returns LLVM IR that defines these functions, by their mangled names.
std::string deviceShim();

} // namespace xt::test
