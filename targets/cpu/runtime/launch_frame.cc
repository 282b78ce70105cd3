#include "targets/cpu/runtime/launch_frame.h"

#include "ir/base/text.h"
#include "ir/interp/disjoint_arguments.h"
#include "ir/interp/launch_state.h"
#include "targets/cpu/runtime/launch_abi.h"

#include <algorithm>
#include <cmath>

namespace xt {
namespace {

uint64_t word(int64_t value) { return static_cast<uint64_t>(value); }

uint64_t scalarWord(Elem elem, Number value) {
  if (isInteger(elem)) return word(value.i);
  uint64_t image = 0;
  storeNumber(elem, &image, value);
  return image;
}

// Like byteRange in byte_range.h, for known addresses. nullopt: the range exceeds the address space.
std::optional<std::pair<int64_t, int64_t>> bytesOf(const MemRefValue &array) {
  auto first = static_cast<int64_t>(reinterpret_cast<uintptr_t>(array.data)), end = first + elemInfo(array.elem).storageBytes;
  for (size_t d = 0; d < array.rank; ++d) {
    int64_t extent = 0;
    bool tooFar = __builtin_mul_overflow(std::max<int64_t>(array.sizes[d], 1) - 1, array.strides[d], &extent) ||
                  __builtin_mul_overflow(extent, elemInfo(array.elem).storageBytes, &extent);
    int64_t &moved = extent < 0 ? first : end;
    if (tooFar || __builtin_add_overflow(moved, extent, &moved)) return std::nullopt;
  }
  return std::pair(first, end);
}

bool areApart(const MemRefValue &x, const MemRefValue &y) {
  auto ofX = bytesOf(x), ofY = bytesOf(y);
  return ofX && ofY && (ofX->second <= ofY->first || ofY->second <= ofX->first);
}

uint64_t apartBits(const std::vector<RuntimeValue> &arguments) {
  uint64_t bits = 0;
  std::vector<const MemRefValue *> memrefs;
  for (const RuntimeValue &argument : arguments) {
    const auto *memref = std::get_if<MemRefValue>(&argument);
    if (!memref) continue;
    for (size_t i = 0; i < memrefs.size(); ++i)
      if (std::optional<unsigned> bit = apartBit(i, memrefs.size()); bit && areApart(*memrefs[i], *memref))
        bits |= uint64_t{1} << *bit;
    memrefs.push_back(memref);
  }
  return bits;
}

bool isSame(const LaunchArg &x, const LaunchArg &y) { return x == y && std::signbit(x.number) == std::signbit(y.number); }

} // namespace

Result<LaunchFrame> makeFrame(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid) {
  Result<std::vector<RuntimeValue>> values = bindArguments(kernel, args);
  if (!values) return values.error();
  if (Result<void> disjoint = checkDisjoint(kernel, args); !disjoint) return disjoint.error();
  if (grid.size() > kGridDims || (!kernel.grid.empty() && kernel.grid.size() != grid.size()))
    return Error::environment(
        str("@", kernel.name, " has a grid of ", kernel.grid.size(), " dimensions, but this launch gives ", grid.size()),
        kernel.nameRange);
  std::optional<uint64_t> workgroups = workgroupCount(grid);
  if (!workgroups)
    return Error::environment(str("the grid of @", kernel.name, " has more than ", kMaxWorkgroups, " workgroups"),
                              kernel.nameRange);
  LaunchFrame frame;
  frame.workgroups = static_cast<int64_t>(*workgroups);
  frame.work = frame.workgroups > 0 ? 1 : 0;
  for (const GridRange &range : grid)
    if (range.count > 1) frame.work *= static_cast<double>(range.count - 1) + range.lastShare;
  frame.words.reserve(frameWords(kernel));
  for (size_t d = 0; d < kGridDims; ++d) {
    GridRange range = d + grid.size() < kGridDims ? GridRange{} : grid[d + grid.size() - kGridDims];
    for (int64_t value : {range.lower, range.step, range.count}) frame.words.push_back(word(value));
  }
  frame.runtime = frame.words.size();
  frame.words.resize(frame.runtime + kRuntimeWords);
  frame.words[frame.runtime + kPartsWord] = frame.words[frame.runtime + kThreadsWord] = 1;
  frame.words[frame.runtime + kApartWord] = apartBits(*values);
  for (size_t i = 0; i < values->size(); ++i) {
    if (const auto *number = std::get_if<Number>(&(*values)[i])) {
      frame.words.push_back(scalarWord(kernel.param(i)->type().elem(), *number));
      continue;
    }
    const auto &memref = std::get<MemRefValue>((*values)[i]);
    frame.words.push_back(reinterpret_cast<uintptr_t>(memref.data));
    for (size_t d = 0; d < memref.rank; ++d) frame.words.push_back(word(memref.sizes[d]));
    for (size_t d = 0; d < memref.rank; ++d) frame.words.push_back(word(memref.strides[d]));
  }
  return frame;
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

Result<LaunchFrame *> LastFrame::of(const void *code, const Kernel &kernel, const std::vector<LaunchArg> &args,
                                    const std::vector<GridRange> &grid) {
  if (code == code_ && grid == grid_ && std::equal(args.begin(), args.end(), args_.begin(), args_.end(), isSame))
    return &frame_;
  code_ = nullptr;
  Result<LaunchFrame> made = makeFrame(kernel, args, grid);
  if (!made) return made.error();
  frame_ = std::move(*made);
  args_ = args;
  grid_ = grid;
  code_ = code;
  return &frame_;
}

} // namespace xt
