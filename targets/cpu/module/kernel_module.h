// Emits the kernels of a module as one LLVM module.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/cpu/jit/emitted_module.h"

namespace xt {

// The limits of the scratch memory per worker and of the shared local memory of a kernel; exceeding them is reported.
inline constexpr int64_t kMaxScratchBytes = int64_t{1} << 30;

// The module must have passed the target's pipeline, so that every type is known. The result is deterministic and its size does
// not depend on the extents of tiles. Debug builds run LLVM's verifier.
Result<EmittedModule> emitKernels(const Module &module, const CpuInfo &cpu, llvm::LLVMContext &context,
                                  Diagnostics &diagnostics);

} // namespace xt
