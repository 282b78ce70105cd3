#include "targets/gpu/failure.h"

#include "ir/base/text.h"
#include "ir/interp/print_value.h"

#include <algorithm>
#include <cstdlib>

namespace xt {
namespace {

// The coordinates of a workgroup with the given linear id, outermost dimension first.
std::vector<int64_t> blockIdOf(uint64_t workgroup, const std::vector<GridRange> &grid) {
  std::vector<int64_t> id(grid.size());
  for (size_t d = grid.size(); d-- > 0;) {
    auto count = static_cast<uint64_t>(grid[d].count);
    id[d] = static_cast<int64_t>(workgroup % count);
    workgroup /= count;
  }
  return id;
}

// The offset of a position in a file; columns count code points. It is the end of the file if there is no such line, and the
// end of the line if there is no such column.
uint32_t offsetOf(const SourceFile &file, uint32_t line, uint32_t column) {
  if (line == 0 || line > file.lineCount()) return static_cast<uint32_t>(file.text().size());
  std::string_view text = file.lineText(line);
  size_t at = 0;
  for (uint32_t c = 1; at < text.size(); ++at) {
    bool starts = (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80; // start of a code point
    if (starts && c++ >= column) break;
  }
  return file.lineStart(line) + static_cast<uint32_t>(at);
}

// Removes the first " at k.xt:7:3" from the message and sets the range accordingly.
void takePlace(const SourceManager *sources, Error &reported) {
  size_t first = std::string::npos, end = 0;
  for (uint32_t i = 1; sources && i < sources->count(); ++i) {
    std::string before = str(" at ", sources->file(i).name(), ":");
    size_t at = reported.message.find(before);
    if (at == std::string::npos || at >= first) continue;
    const char *rest = reported.message.c_str() + at + before.size();
    char *colon = nullptr, *behind = nullptr;
    auto line = static_cast<uint32_t>(std::strtoul(rest, &colon, 10));
    if (colon == rest || *colon != ':') continue;
    auto column = static_cast<uint32_t>(std::strtoul(colon + 1, &behind, 10));
    if (behind == colon + 1) continue;
    first = at, end = static_cast<size_t>(behind - reported.message.c_str());
    uint32_t offset = offsetOf(sources->file(i), line, column);
    reported.range = {i, offset, offset};
  }
  if (first != std::string::npos) reported.message.erase(first, end - first);
}

} // namespace

Result<void> outcomeOf(const GpuKernel &code, const Kernel &kernel, const std::vector<GridRange> &grid, uint64_t outcome) {
  if (outcome == kNoOutcome) return {};
  int bits = subgroupBits(code.subgroups);
  uint32_t number = static_cast<uint32_t>(outcome) >> bits;
  uint64_t subgroup = outcome & ((uint64_t{1} << bits) - 1);
  auto next = std::ranges::upper_bound(code.failures, number, {}, &LaneFailure::first);
  if (next == code.failures.begin()) return Error::kernel(str("failure ", number, ", which @", kernel.name, " does not have"));
  const LaneFailure &failure = *std::prev(next);
  std::vector<int64_t> id = blockIdOf(outcome >> 32, grid);
  // Messages are those of other targets, plus the number of the subgroup: whatever the scope of the source was, each
  // subgroup reports its own failures here.
  std::string where = failure.asserted && id.empty() ? "" : workgroupText(kernel, id);
  if (code.subgroups > 1 && !failure.byWorkgroup) where += str(where.empty() ? "" : ", ", "subgroup ", subgroup);
  if (failure.asserted)
    return Error::kernel(assertionText(failure.text, failure.shape, number - failure.first, where), failure.place);
  return Error::kernel(str(failure.text, " (", where, " of @", kernel.name, ")"), failure.place);
}

Error placed(const GpuKernel &code, const SourceManager *sources, Error reported) {
  takePlace(sources, reported);
  size_t at = reported.message.find(kWaitName);
  size_t number = at == std::string::npos
                      ? code.waits.size()
                      : static_cast<size_t>(std::strtoull(reported.message.c_str() + at + kWaitName.size(), nullptr, 10));
  if (number < code.waits.size()) reported.range = code.waits[number];
  return reported;
}

} // namespace xt
