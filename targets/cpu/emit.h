// The output of the CPU target as text or as an object file, for tools and tests.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"

namespace xt {

enum class EmitKind : uint8_t { Llvm, Asm, Object };

struct EmitOptions {
  std::string cpu; // "" or "host", or LLVM's name for an x86-64 processor: "x86-64-v3", "skylake-avx512"
};

// Returns LLVM IR, assembly, or the bytes of an object file, which are always the same for the same module and processor. The
// functions of an object have the ABI of targets/cpu/runtime/launch_abi.h, which also lists the functions that they call. The
// object also defines the numbers that a frame points to (numbersSymbol).
Result<std::string> emit(const Module &module, EmitKind kind, const EmitOptions &options, Diagnostics &diagnostics);

// The number of LLVM instructions in all kernels together.
Result<size_t> instructionCount(const Module &module, const EmitOptions &options, Diagnostics &diagnostics);

} // namespace xt
