// SPIR-V as words: what the device has to know of a module before it is read back, and what stands in the way of that.
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace xt::soft {

struct SpirvWords {
  std::vector<uint32_t> words; // for the tool that reads them back
  bool float64 = false;        // the module declares that it uses f64
};

// Checks the header and that instructions fill the module, and takes out what llvm-spirv-15 does not read:
//   OpConstantNull of a scalar type becomes the constant 0 or false (the tool asserts)
//   hints on caches (SPV_INTEL_cache_controls) go: they mean nothing here
//   of a split barrier (SPV_INTEL_split_barrier) the arrival goes and the wait becomes a barrier
//   a version after 1.4 is called 1.4
Result<SpirvWords> readableSpirv(std::span<const uint8_t> bytes);

// The module as LLVM bitcode: runs llvm-spirv-15, which must be in PATH. An Error of kind Environment names the package
// where it is missing; one of kind Kernel quotes the tool.
Result<std::string> readBack(std::span<const uint32_t> words);

} // namespace xt::soft
