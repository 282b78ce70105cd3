// A checked and prepared launch: arguments as values, and the workgroups of the grid in the schedule's order.
#pragma once
#include "ir/grid_range.h"
#include "ir/interp/values.h"
#include "ir/interp/workgroup.h"
#include "ir/launch.h"

namespace xt {

// Why a launch cannot pass the argument for a parameter of this type: "an array of shape 2x3 for memref<4x?xf32>"; "" if it can.
std::string whyUnfit(Type type, const LaunchArg &arg);

// Converts the arguments to values of the kernel's parameters. Returns an Error if the number of arguments is wrong, or if an
// argument does not fit its parameter's type or has elements that 64-bit addresses cannot reach.
Result<std::vector<RuntimeValue>> bindArguments(const Kernel &kernel, const std::vector<LaunchArg> &args);

// The bytes of a buffer; empty for a buffer without elements.
MemoryRange bytesOf(const BufferView &view);
// Whether two buffers share memory. Each is assumed to occupy all memory between its first and its last byte.
bool overlap(const BufferView &a, const BufferView &b);

// The memory of the buffers among the arguments, and of the buffers that addresses among them point into.
std::vector<MemoryRange> bufferRanges(const std::vector<LaunchArg> &args);

// The workgroups of a launch, in the order in which the schedule runs them.
class GridWalk {
public:
  // Returns an Error if the ranges do not fit the kernel's grid, or if there are more than kMaxWorkgroups workgroups.
  static Result<GridWalk> make(const Kernel &kernel, const std::vector<GridRange> &ranges, Schedule schedule);

  uint64_t count() const { return count_; }
  // The coordinates of the n-th workgroup to run, outermost dimension first.
  std::vector<int64_t> blockId(uint64_t n) const;
  // The values of the grid variables in a workgroup; none for a kernel without a grid.
  std::vector<RuntimeValue> variables(const std::vector<int64_t> &blockId) const;

private:
  std::vector<GridRange> ranges_;
  bool hasVariables_ = false;
  uint64_t count_ = 1;
  uint64_t first_ = 0, stride_ = 1; // the n-th to run has the row-major number (first + n * stride) mod count
};

} // namespace xt
