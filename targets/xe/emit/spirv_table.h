// The instructions, capabilities and OpenCL.std functions that the SPIR-V of kernels may contain (spirv_table.def).
#pragma once
#include "ir/base/result.h"
#include "targets/output.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace xt {

struct SpirvEntry {
  std::string_view name;
  uint32_t number;
};
// In ascending order of the numbers.
std::span<const SpirvEntry> spirvInstructions();
std::span<const SpirvEntry> spirvCapabilities();
std::span<const SpirvEntry> spirvMath();

// Checks that a module contains nothing that is not in the table, and instructions of Intel's extensions only with
// SpirvExtensions::Intel, inline assembly only with InlineAssembly. LLVM selects the instructions, so an Error is a bug of this compiler, or a new choice of LLVM's.
Result<void> checkSpirv(std::span<const uint8_t> spirv, SpirvExtensions extensions);

} // namespace xt
