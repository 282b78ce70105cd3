// Which instructions, capabilities and functions of OpenCL.std the SPIR-V of kernels may have (spirv_table.def).
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace xt {

struct SpirvEntry {
  std::string_view name;
  uint32_t number;
};
// Ascending.
std::span<const SpirvEntry> spirvInstructions();
std::span<const SpirvEntry> spirvCapabilities();
std::span<const SpirvEntry> spirvMath();

// Whether a module has nothing else. LLVM chooses the instructions: an Error is a mistake of ours, or a new choice of its.
Result<void> checkSpirv(std::span<const uint8_t> spirv);

} // namespace xt
