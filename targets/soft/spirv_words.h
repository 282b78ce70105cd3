// Prepares SPIR-V for llvm-spirv-15 and runs this tool. Rewrites what the tool does not read, and extracts the properties of
// the module that the device needs.
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace xt::soft {

struct SpirvWords {
  std::vector<uint32_t> words; // the input of llvm-spirv-15
  bool float64 = false;        // the module declares that it uses f64
  std::vector<std::string> extensions; // which the module declares
};

// Checks the header and that the instructions fill the module, and rewrites what llvm-spirv-15 does not read:
//   OpConstantNull of a scalar type becomes the constant 0 or false (the tool fails an assertion)
//   cache hints (SPV_INTEL_cache_controls) are removed, because they have no effect here
//   the arrival of a split barrier (SPV_INTEL_split_barrier) is removed, and its wait becomes a barrier
//   instructions of other extensions become calls (extension_calls.h)
//   a version above 1.4 is replaced by 1.4
Result<SpirvWords> readableSpirv(std::span<const uint8_t> bytes);

// Converts the module to LLVM bitcode with llvm-spirv-15, which must be in PATH. An Error of kind Environment names
// the package if the tool is missing; an Error of kind Kernel quotes the tool's message.
Result<std::string> readBack(std::span<const uint32_t> words);

} // namespace xt::soft
