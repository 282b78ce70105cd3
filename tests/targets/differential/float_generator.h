// Generates random kernels on arbitrary floating-point data, as files with a test. For each statement of the kernel, the test
// has the expression that the statement computes, so that the tolerance that the runner derives from the expression bounds the
// error.
#pragma once
#include <cstdint>
#include <string>

namespace xt {

// Returns a file with one kernel `@k` at workgroup or subgroup scope, and one test of it.
std::string randomFloatKernel(uint64_t seed);

} // namespace xt
