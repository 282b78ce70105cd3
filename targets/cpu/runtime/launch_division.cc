#include "targets/cpu/runtime/launch_division.h"

#include "targets/cpu/runtime/launch_abi.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace xt {
namespace {

// Like byteRange in byte_range.h, for known addresses. nullopt: the range exceeds the address space.
std::optional<std::pair<int64_t, int64_t>> bytesOf(const StridedArray &array) {
  auto first = static_cast<int64_t>(reinterpret_cast<uintptr_t>(array.data)), end = first + array.elementBytes;
  for (size_t d = 0; d < array.sizes.size(); ++d) {
    int64_t extent = 0;
    bool tooFar = __builtin_mul_overflow(std::max<int64_t>(array.sizes[d], 1) - 1, array.strides[d], &extent) ||
                  __builtin_mul_overflow(extent, array.elementBytes, &extent);
    int64_t &moved = extent < 0 ? first : end;
    if (tooFar || __builtin_add_overflow(moved, extent, &moved)) return std::nullopt;
  }
  return std::pair(first, end);
}

bool areApart(const StridedArray &x, const StridedArray &y) {
  auto ofX = bytesOf(x), ofY = bytesOf(y);
  return ofX && ofY && (ofX->second <= ofY->first || ofY->second <= ofX->first);
}

} // namespace

uint64_t apartBits(std::span<const StridedArray> memrefs) {
  uint64_t bits = 0;
  for (size_t later = 0; later < memrefs.size(); ++later)
    for (size_t i = 0; i < later; ++i)
      if (std::optional<unsigned> bit = apartBit(i, later); bit && areApart(memrefs[i], memrefs[later]))
        bits |= uint64_t{1} << *bit;
  return bits;
}

double workOf(std::span<const GridRange> grid) {
  double work = 1;
  for (const GridRange &range : grid) {
    if (range.count <= 0) return 0;
    if (range.count > 1) work *= static_cast<double>(range.count - 1) + range.lastShare;
  }
  return work;
}

int64_t partsOf(double work, int64_t most, int64_t threads, bool areCheap) {
  constexpr int64_t kPiecesEach = 4; // at most this many pieces of work per thread
  const auto workers = static_cast<double>(threads);
  if (threads == 1 || work <= 0 || work >= workers * kPiecesEach) return 1;
  const double whole = std::floor(work), rest = work - whole; // incomplete workgroups come last
  // The work of the most loaded thread, in units of 1 / `most` of a workgroup.
  auto longest = [&](int64_t parts) {
    double pieces = whole * static_cast<double>(parts), each = std::floor(pieces / workers);
    double last = each * workers < pieces ? 1 : rest * std::ceil(static_cast<double>(parts) / workers);
    int64_t longestPart = (most + parts - 1) / parts;
    return (each + last) * static_cast<double>(longestPart);
  };
  const double better = areCheap ? 0.95 : 0.9;
  int64_t best = 1, end = std::min(most, static_cast<int64_t>(std::ceil(workers * kPiecesEach / work)));
  for (int64_t parts = 2; parts <= end; ++parts)
    if (longest(parts) < better * longest(best)) best = parts;
  return best;
}

int64_t sharingPeriod(const std::vector<GridRange> &grid, const std::vector<bool> &dims, int64_t parts) {
  if (dims.empty()) return 0;
  int64_t period = parts, alike = 1;
  for (size_t d = 0; d < dims.size(); ++d)
    if (!dims[d]) alike *= grid[d].count;
  const bool neighboursShare = !dims.back();
  for (size_t d = dims.size(); d-- > 0 && (dims[d] || neighboursShare);) period *= grid[d].count;
  return alike > 1 ? period : 0;
}

} // namespace xt
