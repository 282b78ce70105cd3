// Who writes an element: a run of a kernel that computes scalars and tiles only, for reports of wrong results.
#pragma once
#include "ir/base/result.h"
#include "ir/launch.h"

#include <optional>
#include <span>

namespace xt {

struct Writer {
  std::vector<int64_t> workgroup; // coordinates, outermost dimension first
  int64_t subgroup = 0;
};

// For each element (an index per dimension) of the buffer given for `parameter`, the workgroup and subgroup that
// stores to it (the last, in ascending order of workgroups); nullopt where none does. Stores through another parameter
// that was given the same buffer count too.
Result<std::vector<std::optional<Writer>>> findWriters(const Kernel &kernel, const std::vector<LaunchArg> &args,
                                                       const std::vector<GridRange> &grid, size_t parameter,
                                                       std::span<const std::vector<int64_t>> elements);

} // namespace xt
