// Finds the workgroup and subgroup that write an element, for reports of wrong results, by running only the part of the kernel
// that determines where it writes (address_slice.h).
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

// Returns for each element (an index per dimension) of the buffer that is passed for `parameter` the workgroup and subgroup
// that write it, nullopt if none does. Of several writers it is the last one, in ascending order of workgroups. Writes through
// another parameter or an address count too. Returns an Error if the writers cannot be found without running the whole kernel.
//
// No memory is written. If addresses depend on the contents of buffers (indices, masks), the buffers must still have the
// contents that they had at the launch. `memoryKept` states whether they have; if they do not, an Error is returned.
Result<std::vector<std::optional<Writer>>> findWriters(const Kernel &kernel, const std::vector<LaunchArg> &args,
                                                       const std::vector<GridRange> &grid, size_t parameter,
                                                       std::span<const std::vector<int64_t>> elements, bool memoryKept = true);

} // namespace xt
