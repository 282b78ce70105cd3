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
  bool assertion = what.find("assertion failed: ") != std::string::npos;
  std::vector<int64_t> id = blockIdOf(outcome[0] >> 32, grid);
  // Messages are those of other targets, but for the subgroup: whatever scope the source had, here each fails for itself.
  std::string where = assertion && id.empty() ? "" : workgroupText(kernel, id);
  if (kernel.subgroups > 1 && outcome[1] != kNoXeOutcome[1]) where += str(where.empty() ? "" : ", ", "subgroup ", outcome[1] >> 32);
  if (!assertion) where += str(" of @", kernel.name);
  SourceRange range = number < code.places.size() ? code.places[number] : SourceRange();
  return Error::kernel(where.empty() ? what : str(what, " (", where, ")"), range);
}

} // namespace xt
