// Instructions of Intel's SPIR-V extensions as calls of the library functions that do the same.
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <vector>

namespace xt::soft {

// Replaces the instructions of SPV_INTEL_2d_block_io and SPV_INTEL_subgroup_matrix_multiply_accumulate in a whole module, its
// header included, by calls of imported functions, and removes the capabilities and the extensions. llvm-spirv-15 knows none
// of them. An Error names an instruction whose sizes or types no function has.
Result<std::vector<uint32_t>> callExtensions(std::vector<uint32_t> words);

} // namespace xt::soft
