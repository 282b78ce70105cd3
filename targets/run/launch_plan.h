// A launch of a test with its arguments evaluated, ready for a target.
#pragma once
#include "ir/module.h"
#include "targets/run/test_state.h"
#include "targets/target.h"

namespace xt {

struct LaunchPlan {
  const HostStmt *stmt = nullptr;
  size_t position = 0;
  const Kernel *kernel = nullptr; // of the module that was compiled for the target
  std::vector<LaunchArg> args;
  std::vector<TestBuffer *> buffers; // one per parameter; null for arguments that are not buffers
  std::vector<GridRange> grid;       // empty: one workgroup
};

// Evaluates a launch's arguments and grid. Its buffers must have device memory. Reports HostLaunchMismatch where an
// argument does not match its parameter. An Error::kernel with the range of the condition if the launch does not satisfy what
// the kernel requires.
Result<LaunchPlan> planLaunch(const Kernel &kernel, const HostStmt &stmt, size_t position, TestState &state);

} // namespace xt
