// The functions of cl_intel_subgroup_2d_block_io for a compiler that is older than they are, in what it has: to see the
// instructions that it makes of a kernel. Never part of a program that runs.
#pragma once
#include <string>

namespace xt::test {

// LLVM IR that defines them, by their mangled names.
std::string deviceShim();

} // namespace xt::test
