// Defines the functions of cl_intel_subgroup_2d_block_io for a compiler that is older than them, using functions that it has,
// to inspect the instructions that it generates for a kernel. Never part of a program that runs.
#pragma once
#include <string>

namespace xt::test {

// LLVM IR that defines them, by their mangled names.
std::string deviceShim();

} // namespace xt::test
