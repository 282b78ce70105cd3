#include "targets/xe/failure.h"

#include "ir/base/text.h"

namespace xt {
namespace {

// Coordinates, outermost dimension first, of a linear workgroup id.
std::vector<int64_t> blockIdOf(uint64_t workgroup, const std::vector<GridRange> &grid) {
  std::vector<int64_t> id(grid.size());
  for (size_t d = grid.size(); d-- > 0;) {
    auto count = static_cast<uint64_t>(grid[d].count);
    id[d] = static_cast<int64_t>(workgroup % count);
    workgroup /= count;
  }
  return id;
}

} // namespace

Result<void> outcomeOf(const XeKernel &code, const Kernel &kernel, const std::vector<GridRange> &grid,
                       const std::array<uint64_t, 2> &outcome) {
  if (outcome[0] == kNoXeOutcome[0]) return {};
  uint64_t number = outcome[0] & 0xFFFFFFFF;
  std::string what = number < code.failures.size() ? code.failures[number] : str("failure ", number, ", which the kernel does not have");
  // The subgroup is known where the device wrote both words; else the workgroup alone says where.
  bool known = outcome[1] != kNoXeOutcome[1];
  auto subgroup = static_cast<int64_t>(outcome[1] >> 32);
  std::vector<int64_t> id = blockIdOf(outcome[0] >> 32, grid);
  std::string where = known && kernel.subgroups > 1 ? originText(kernel, id, subgroup) : workgroupText(kernel, id);
  return Error::kernel(str(what, " (", where, " of @", kernel.name, ")"));
}

} // namespace xt
