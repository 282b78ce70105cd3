// The inputs of a kernel launch: arguments and the ranges of its grid.
//
// Launch ABI: a memref argument is its data pointer (address of element [0, …, 0]), sizes and strides (in elements, one per
// dimension); a scalar is its value. Kernels get nothing else from the host.
#pragma once
#include "ir/base/result.h"
#include "ir/elem.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

class Kernel;

// Receives the output of `print` ops in execution order, in whole lines; called by one thread at a time.
using PrintSink = std::function<void(std::string_view)>;

struct BufferView {
  void *data = nullptr; // element [0, …, 0]
  Elem elem = kF32Elem;
  std::vector<int64_t> sizes, strides; // in elements
  bool unwritten = false;              // nothing has been written to it yet

  bool operator==(const BufferView &) const = default;
};
// An integer argument may be an address: `buffer` then describes the memory it points into, if known (data is not null).
struct LaunchArg {
  enum class Kind : uint8_t { Buffer, Int, Float } kind = Kind::Int;
  BufferView buffer;
  int64_t integer = 0;
  double number = 0;

  bool operator==(const LaunchArg &) const = default; // numbers compare as doubles: -0 equals 0, NaN differs from NaN
};
struct GridRange { // the values lower, lower + step, … < upper of one grid variable
  int64_t lower = 0, step = 1, count = 1;
  double lastShare = 1; // the share of the last step that lies below `upper`

  bool operator==(const GridRange &) const = default;
};

// The ranges of a kernel's grid variables for these arguments, outermost first, computed by evaluating
// Kernel::gridBlock (defined in ir/interp/launch_header.cc). An Error if an argument does not fit its parameter, the arguments do not satisfy what
// the kernel requires, a step is not positive, or the grid has more than 2^31 workgroups. Empty for a kernel without a grid.
Result<std::vector<GridRange>> computeGrid(const Kernel &kernel, const std::vector<LaunchArg> &args);
// Whether the arguments fit their parameters and satisfy what the kernel requires.
bool satisfiesRequirements(const Kernel &kernel, const std::vector<LaunchArg> &args);
// The ranges without what the kernel requires, which may need arguments that are not known yet.
Result<std::vector<GridRange>> gridRanges(const Kernel &kernel, const std::vector<LaunchArg> &args);

// "workgroup (1, 0)", in the order in which the grid is written: a kernel's own grid starts with its first variable, a launch's
// grid (for a kernel without one) with x. "the workgroup" if there is no grid. `blockId` has the outermost dimension first.
std::string workgroupText(const Kernel &kernel, std::span<const int64_t> blockId);
// "workgroup (1, 0), subgroup 2": the origin of a printed value or of a failure. The workgroup is left out if there is no
// grid. The subgroup is left out at workgroup scope, if it is the only one, and if it is -1, which means the workgroup as a
// whole.
std::string originText(const Kernel &kernel, std::span<const int64_t> blockId, int64_t subgroup);

} // namespace xt
