// A target: compiles a module's kernels and runs them on buffers.
//
// Launch ABI: a memref argument is its data pointer (address of element [0, …, 0]), sizes and strides (in elements, one
// per dimension); a scalar is its value. Kernels see nothing else of the host.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"

#include <memory>
#include <string>
#include <vector>

namespace xt {

struct BufferView {
  void *data = nullptr; // element [0, …, 0]
  Elem elem = Elem::F32;
  std::vector<int64_t> sizes, strides; // in elements
};
struct LaunchArg {
  enum class Kind : uint8_t { Buffer, Int, Float } kind = Kind::Int;
  BufferView buffer;
  int64_t integer = 0;
  double number = 0;
};
struct GridRange { // values lower, lower + step, … < upper of one grid variable
  int64_t lower = 0, step = 1, count = 1;
};

// The ranges of a kernel's grid variables for these arguments, computed by interpreting Kernel::gridBlock. An Error if
// a step is not positive or the grid has more than 2^31 workgroups.
Result<std::vector<GridRange>> computeGrid(const Kernel &kernel, const std::vector<LaunchArg> &args);

struct CompileOptions {
  int threads = 0; // of the device, 0: all
};

class Executable {
public:
  virtual ~Executable() = default;
  // Runs every workgroup of one kernel and waits. An Error (environment) carries what failed, e.g. a failed assert.
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
