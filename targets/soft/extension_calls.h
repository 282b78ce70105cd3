// Replaces instructions of SPIR-V extensions by calls of equivalent library functions.
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <vector>

namespace xt::soft {

// Replaces the instructions of SPV_INTEL_2d_block_io, SPV_INTEL_subgroup_matrix_multiply_accumulate, SPV_INTEL_inline_assembly (messages
// that load blocks) and SPV_KHR_cooperative_matrix in a whole module, its header included, by calls of imported functions, and removes the capabilities
// and the extensions. llvm-spirv-15 knows none of them. If no function has the sizes or types of an instruction, or does what its assembly does, returns an Error
// that names it.
Result<std::vector<uint32_t>> callExtensions(std::vector<uint32_t> words);

} // namespace xt::soft
