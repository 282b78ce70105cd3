// Random kernels on true floating-point data, as files with a test: beside each statement of the kernel stands the
// expression of what it computes, so that the runner's derived tolerance is the bound.
#pragma once
#include <cstdint>
#include <string>

namespace xt {

// One kernel `@k` at workgroup or at subgroup scope, and one test of it.
std::string randomFloatKernel(uint64_t seed);

} // namespace xt
