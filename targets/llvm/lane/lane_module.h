// What all devices need around the kernels of an LLVM module.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/llvm/lane/lane_kernel.h"

#include <llvm/IR/Module.h>

namespace xt {

// The name of a kernel's entry point: the kernel's name in which '_' replaces every character that is not a letter or digit; "k"
// is prepended if it does not begin with a letter, and a number is appended if a function of the module has this name.
std::string entryName(const Kernel &kernel, const llvm::Module &module);

// Returns an Error if the kernel is not in the form that LaneKernelEmitter takes: at lane scope, without asynchronous ops, and not
// larger than codeFits() allows.
Result<void> checkLaneForm(const Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
