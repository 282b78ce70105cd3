// Makes PTX of an LLVM module, by LLVM's NVPTX backend.
#pragma once
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"
#include "targets/gpu/kernel_abi.h"

#include <llvm/IR/Module.h>

#include <span>
#include <string>

namespace xt {

inline constexpr const char *kPtxTriple = "nvptx64-nvidia-cuda";

// A kernel may declare up to this many bytes of shared memory. What a kernel needs beyond them is given at its launch.
inline constexpr int64_t kMostDeclaredSlm = 48 << 10;

// Changes the module. `kernels` are those of the module; their givenSlmBytes are set.
Result<std::string> generatePtx(llvm::Module &module, std::span<GpuKernel> kernels, const TargetInfo &target);

} // namespace xt
