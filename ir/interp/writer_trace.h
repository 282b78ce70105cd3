// Finds who writes an element, by running the part of a kernel that determines where it writes, for reports of wrong results.
#pragma once
#include "ir/base/result.h"
#include "ir/launch.h"

#include <optional>
#include <span>

namespace xt {

struct Writer {
  std::vector<int64_t> workgroup; // coordinates, outermost dimension first
  int64_t subgroup = 0;
  uint64_t stores = 0; // how often the element is written in total
};

// For each element (an index per dimension) of the buffer passed for `parameter`, the workgroup and subgroup that writes it
// (the last, in ascending order of workgroups); nullopt if none does. Writes through another parameter or an address count too.
// An Error if the writer cannot be found without running the whole kernel.
//
// Nothing is written. If addresses depend on the contents of buffers (indices, masks), the buffers must still have their
// contents of the launch, as `memoryKept` states; otherwise that is an Error too.
Result<std::vector<std::optional<Writer>>> findWriters(const Kernel &kernel, const std::vector<LaunchArg> &args,
                                                       const std::vector<GridRange> &grid, size_t parameter,
                                                       std::span<const std::vector<int64_t>> elements, bool memoryKept = true);

} // namespace xt
