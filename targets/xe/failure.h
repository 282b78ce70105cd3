// What a workgroup that has done what it must not tells the host (kernel_abi.h).
#pragma once
#include "ir/launch.h"
#include "ir/module.h"
#include "targets/xe/kernel_abi.h"

namespace xt {

inline constexpr uint64_t kNoXeOutcome = ~uint64_t{0};

// The error of a launch with this outcome word; `grid` is the launch's.
Result<void> outcomeOf(const XeKernel &code, const Kernel &kernel, const std::vector<GridRange> &grid, uint64_t outcome);

// What a device reports of a launch, with the place of the wait at a named barrier that it names.
Error placed(const XeKernel &code, Error reported);

} // namespace xt
