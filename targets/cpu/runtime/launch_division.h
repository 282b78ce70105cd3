// How the work of a launch is divided among threads.
#pragma once
#include "ir/launch.h"

#include <span>
#include <vector>

namespace xt {

// The amount of work of a launch, in whole workgroups: workgroups at the end of a dimension count by their share, unless the
// dimension has only one. 0 if a range is empty.
double workOf(std::span<const GridRange> grid);

// The number of parts (at most `most`) to divide each workgroup into, so that a few workgroups occupy all threads. It is the
// smallest number that leaves no thread idle for long; if parts are cheap, it may be larger. `work` is that of workOf().
int64_t partsOf(double work, int64_t most, int64_t threads, bool areCheap);

// The distance, in parts of workgroups, after which the same values of the grid's `dims` recur. It is the whole launch if the
// innermost dimension is not among `dims`, and 0 if no two workgroups share the data that depends on `dims`. `dims` has as many
// entries as `grid`, outermost first, or none if nothing is shared. The `parts` parts of a workgroup are consecutive.
int64_t sharingPeriod(const std::vector<GridRange> &grid, const std::vector<bool> &dims, int64_t parts);

// A memref's memory: the address of element [0, …, 0], extents and strides in elements, and the bytes of an element.
struct StridedArray {
  const void *data;
  std::span<const int64_t> sizes, strides;
  int64_t elementBytes;
};
// The word kApartWord of a frame (launch_abi.h) for the memrefs among a kernel's parameters.
uint64_t apartBits(std::span<const StridedArray> memrefs);

} // namespace xt
