// Who writes an element: a run of the part of a kernel that decides where it writes, for reports of wrong results.
#pragma once
#include "ir/base/result.h"
#include "ir/launch.h"

#include <optional>
#include <span>

namespace xt {

struct Writer {
  std::vector<int64_t> workgroup; // coordinates, outermost dimension first
  int64_t subgroup = 0;
  uint64_t stores = 0; // how often the element is written, all told
};

// For each element (an index per dimension) of the buffer given for `parameter`, the workgroup and subgroup that
// writes it (the last, in ascending order of workgroups); nullopt where none does. What is written by way of another
// parameter or an address counts too. An Error where that cannot be told without running all of the kernel.
//
// Nothing is written. Where addresses depend on what buffers hold (indices, masks), the buffers must still hold what
// they held at the launch, which `memoryKept` says; else that is an Error too.
Result<std::vector<std::optional<Writer>>> findWriters(const Kernel &kernel, const std::vector<LaunchArg> &args,
                                                       const std::vector<GridRange> &grid, size_t parameter,
                                                       std::span<const std::vector<int64_t>> elements,
                                                       bool memoryKept = true);

} // namespace xt
