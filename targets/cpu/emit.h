// The CPU target's output as text or as an object file, for tools and tests.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"

namespace xt {

enum class EmitKind : uint8_t { Llvm, Asm, Object };

struct EmitOptions {
  std::string cpu; // "" or "host", or LLVM's name for an x86-64 processor: "x86-64-v3", "skylake-avx512"
};

// LLVM IR, assembly, or the bytes of an object file; the same bytes for the same module and processor. An object's
// functions have the ABI of targets/cpu/kernel_emitter.h, with the numbers that a frame points to beside them (numbersSymbol), and
// may call the C library's mathematical functions.
Result<std::string> emit(const Module &module, EmitKind kind, const EmitOptions &options, Diagnostics &diagnostics);

// LLVM instructions of all kernels together.
Result<size_t> instructionCount(const Module &module, const EmitOptions &options, Diagnostics &diagnostics);

} // namespace xt
