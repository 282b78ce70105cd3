// The reference interpreter: it defines the meaning of a kernel, at every level of the IR.
//
// Each subgroup of a workgroup runs the body with its own values; of a vector with a layout it holds only its part. Workgroups
// run one after the other in one host thread; the order of execution is a deterministic choice (Schedule).
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/checks.h"
#include "ir/interp/workgroup.h"
#include "ir/launch.h"

namespace xt {

struct InterpOptions {
  Schedule schedule = {};
  PrintSink print = {}; // if unset, nothing is printed
  Checks checks = {};
  Diagnostics *found = nullptr; // receives the findings of the checks; required if any check is on
  Arithmetic *arithmetic = &ieeeArithmetic();
};

// Runs every workgroup of the grid: the grid of computeGrid for a kernel with a grid; else the launch's grid, outermost
// dimension first (empty: one workgroup). At workgroup scope all layouts must be known. Returns an Error with the place for a
// mistake at run time, and also if the checks have found errors.
Result<void> interpret(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid,
                       const InterpOptions &options = {});

} // namespace xt
