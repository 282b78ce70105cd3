// Turns the failure that a workgroup reports (kernel_abi.h) into an error.
#pragma once
#include "ir/base/source.h"
#include "ir/launch.h"
#include "ir/module.h"
#include "targets/gpu/kernel_abi.h"

namespace xt {

inline constexpr uint64_t kNoOutcome = ~uint64_t{0};

// Returns the error that the outcome word of a launch stands for; success if the word is kNoOutcome. `grid` is the grid of
// the launch.
Result<void> outcomeOf(const GpuKernel &code, const Kernel &kernel, const std::vector<GridRange> &grid, uint64_t outcome);

// Returns `reported`, an error that a device reported for a launch, with the source range of the position that its message
// names: a line of a source file (" at k.xt:7:3", which is removed from the message), or a wait at a named barrier. `sources`
// may be null.
Error placed(const GpuKernel &code, const SourceManager *sources, Error reported);

} // namespace xt
