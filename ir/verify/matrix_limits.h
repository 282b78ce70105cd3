// What kernels that name the matrix unit of a target need of it.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"

namespace xt {

// Checks that each product of joint matrices has types and sizes that the target's matrix unit supports. A target without a
// matrix unit computes any product. The kernel is at subgroup scope.
Result<void> checkMatrixCombinations(const Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics);

// Checks that each convert_layout with `mma_kind` gives the lanes the elements of one operand of the instruction that it names.
// The kernel is at workgroup scope.
Result<void> checkMmaKinds(const Kernel &kernel, const TargetInfo &target, Context &context, Diagnostics &diagnostics);

} // namespace xt
