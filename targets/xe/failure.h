// What a workgroup that has done what it must not tells the host (kernel_abi.h).
#pragma once
#include "ir/base/source.h"
#include "ir/launch.h"
#include "ir/module.h"
#include "targets/xe/kernel_abi.h"

namespace xt {

inline constexpr uint64_t kNoXeOutcome = ~uint64_t{0};

// The error of a launch with this outcome word; `grid` is the launch's.
Result<void> outcomeOf(const XeKernel &code, const Kernel &kernel, const std::vector<GridRange> &grid, uint64_t outcome);

// What a device reports of a launch, with the place that it names: a line of a source file (" at k.xt:7:3", which goes out
// of the text), or a wait at a named barrier. `sources`: null where there are none.
Error placed(const XeKernel &code, const SourceManager *sources, Error reported);

} // namespace xt
