// The reference interpreter: it defines the meaning of a kernel, at every level of the IR.
//
// Each subgroup of a workgroup runs the body with its own values, and holds only its own part of a vector with a layout.
// Workgroups run one after the other in one host thread, in a deterministic order (Schedule).
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
  const SourceManager *sources = nullptr; // of the kernel: findings name ops as they are written there
  Arithmetic *arithmetic = &ieeeArithmetic();
};

// Runs every workgroup of `grid`. For a kernel with a grid it must be the result of computeGrid; otherwise it is the launch's
// grid, outermost dimension first (empty: one workgroup). At workgroup scope all layouts must be known. Returns an Error with
// a source range for a mistake at run time, and an Error if the checks have found errors.
Result<void> interpret(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid,
                       const InterpOptions &options = {});

} // namespace xt
