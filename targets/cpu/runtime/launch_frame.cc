#include "targets/cpu/runtime/launch_frame.h"

#include "ir/base/text.h"
#include "ir/interp/disjoint_arguments.h"
#include "ir/interp/launch_state.h"
#include "targets/cpu/runtime/launch_abi.h"
#include "targets/cpu/runtime/launch_division.h"

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

uint64_t apartWord(const std::vector<RuntimeValue> &arguments) {
  std::vector<StridedArray> arrays;
  for (const RuntimeValue &argument : arguments)
    if (const auto *memref = std::get_if<MemRefValue>(&argument))
      arrays.push_back({memref->data, std::span(memref->sizes).first(memref->rank),
                        std::span(memref->strides).first(memref->rank), elemInfo(memref->elem).storageBytes});
  return apartBits(arrays);
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
  frame.work = workOf(grid);
  frame.words.reserve(frameWords(kernel));
  for (size_t d = 0; d < kGridDims; ++d) {
    GridRange range = d + grid.size() < kGridDims ? GridRange{} : grid[d + grid.size() - kGridDims];
    for (int64_t value : {range.lower, range.step, range.count}) frame.words.push_back(word(value));
  }
  frame.runtime = frame.words.size();
  frame.words.resize(frame.runtime + kRuntimeWords);
  frame.words[frame.runtime + kPartsWord] = frame.words[frame.runtime + kThreadsWord] = 1;
  frame.words[frame.runtime + kApartWord] = apartWord(*values);
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
