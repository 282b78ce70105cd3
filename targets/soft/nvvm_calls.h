// Replaces the intrinsics of NVVM, the code of NVIDIA's GPUs before code generation, by calls of device functions that lowering
// knows: those of SPIR-V for ids, shuffles and barriers, and those of warp_products.h.
#pragma once
#include "ir/base/result.h"
#include "targets/soft/device_settings.h"

#include <llvm/IR/Module.h>

namespace xt::soft {

// Kernels are the functions with the calling convention of PTX kernels; afterwards they have that of SPIR-V and its metadata. An
// Error of kind Kernel names an intrinsic that the software device does not know, or that it knows only for whole warps.
Result<void> replaceNvvm(llvm::Module &module, const DeviceSettings &device);

} // namespace xt::soft
