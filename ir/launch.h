// What a launch of a kernel is given: arguments and the ranges of its grid.
//
// Launch ABI: a memref argument is its data pointer (address of element [0, …, 0]), sizes and strides (in elements, one
// per dimension); a scalar is its value. Kernels see nothing else of the host.
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

// Takes what `print` ops write, whole lines at a time, in the order in which they run; called by one thread at a time.
using PrintSink = std::function<void(std::string_view)>;

struct BufferView {
  void *data = nullptr; // element [0, …, 0]
  Elem elem = Elem::F32;
  std::vector<int64_t> sizes, strides; // in elements
  bool unwritten = false;              // nothing has been written to it yet

  bool operator==(const BufferView &) const = default;
};
// An integer may be an address: then `buffer` says what memory it points into, where that is known (data: not null).
struct LaunchArg {
  enum class Kind : uint8_t { Buffer, Int, Float } kind = Kind::Int;
  BufferView buffer;
  int64_t integer = 0;
  double number = 0;

  bool operator==(const LaunchArg &) const = default; // of numbers: -0 is 0, NaN is no NaN
};
struct GridRange { // values lower, lower + step, … < upper of one grid variable
  int64_t lower = 0, step = 1, count = 1;
  double lastShare = 1; // of the last step, which may reach beyond `upper`

  bool operator==(const GridRange &) const = default;
};

// The ranges of a kernel's grid variables for these arguments, outermost first, computed by interpreting
// Kernel::gridBlock (defined in ir/interp). An Error if an argument does not fit its parameter, a step is not positive,
// or the grid has more than 2^31 workgroups. Empty for a kernel without a grid.
Result<std::vector<GridRange>> computeGrid(const Kernel &kernel, const std::vector<LaunchArg> &args);

// "workgroup (1, 0)", in the order in which the grid is written: a kernel's own from its first variable on, a launch's
// own (of a kernel without one) x first. "the workgroup" where there is no grid. `blockId` has the outermost first.
std::string workgroupText(const Kernel &kernel, std::span<const int64_t> blockId);
// "workgroup (1, 0), subgroup 2": who printed a value, or failed. The workgroup is left out where there is no grid, the
// subgroup at workgroup scope, where it is the only one, and where it is -1: the workgroup does it as one.
std::string originText(const Kernel &kernel, std::span<const int64_t> blockId, int64_t subgroup);

} // namespace xt
