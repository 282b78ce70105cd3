// A target: compiles a module's kernels and runs them on buffers (ir/launch.h: arguments and grids).
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/checks.h"
#include "ir/launch.h"
#include "ir/module.h"

#include <memory>
#include <string>
#include <vector>

namespace xt {

struct CompileOptions {
  int threads = 0;              // of the device, 0: all
  PrintSink print = {};         // of what kernels print; none: it is dropped
  Checks checks = {};           // of the interpreter
  Diagnostics *found = nullptr; // takes what the checks find; outlives the executable
};

class Executable {
public:
  virtual ~Executable() = default;
  // Runs every workgroup of one kernel and waits. An Error carries what failed, e.g. an assert.
  virtual Result<void> launch(const Kernel &kernel, const std::vector<LaunchArg> &args,
                              const std::vector<GridRange> &grid) = 0;
};

class Target {
public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;    // "cpu"
  virtual std::string_view summary() const = 0; // one line for --help and --devices
  virtual bool wantsSmallSizes() const = 0;     // runs the `small` sizes of tests
  // The names of the passes (passes/passes.def) that bring a module to what compile() takes.
  virtual std::vector<std::string_view> pipeline() const = 0;
  virtual Result<std::unique_ptr<Executable>> compile(const Module &module, const CompileOptions &options,
                                                      Diagnostics &diagnostics) = 0;
};

// All targets in a fixed order; null for an unknown name.
std::vector<Target *> allTargets();
Target *findTarget(std::string_view name);

} // namespace xt
