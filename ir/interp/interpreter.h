// The reference interpreter: the definition of what a kernel means, at every level of the IR.
//
// Each subgroup of a workgroup runs the body with values of its own; of a vector with a layout it holds only its part.
// Workgroups run one after the other in one host thread; what runs when is a deterministic choice (Schedule).
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/checks.h"
#include "ir/interp/workgroup.h"
#include "ir/launch.h"

namespace xt {

struct InterpOptions {
  Schedule schedule = {};
  PrintSink print = {}; // none: nothing is printed
  Checks checks = {};
  Diagnostics *found = nullptr; // takes what the checks find; there if any is on
  Arithmetic *arithmetic = &ieeeArithmetic();
};

// Runs every workgroup of the grid: computeGrid's for a kernel with a grid; else the launch's own, outermost dimension
// first (empty: one workgroup). At workgroup scope all layouts must be known. An Error says what went wrong at run
// time, and where; also that the checks have found errors.
Result<void> interpret(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid,
                       const InterpOptions &options = {});

} // namespace xt
