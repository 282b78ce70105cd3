#include "targets/cpu/launch_frame.h"

#include "ir/base/text.h"
#include "ir/interp/launch_state.h"
#include "targets/cpu/kernel_emitter.h"

namespace xt {
namespace {

uint64_t word(int64_t value) { return static_cast<uint64_t>(value); }

uint64_t scalarWord(Elem elem, Number value) {
  if (isInteger(elem)) return word(value.i);
  uint64_t image = 0;
  storeNumber(elem, &image, value);
  return image;
}

} // namespace

Result<LaunchFrame> makeFrame(const Kernel &kernel, const std::vector<LaunchArg> &args,
                              const std::vector<GridRange> &grid) {
  Result<std::vector<RuntimeValue>> values = bindArguments(kernel, args);
  if (!values) return values.error();
  if (grid.size() > kGridDims || (!kernel.grid.empty() && kernel.grid.size() != grid.size()))
    return Error::environment(
        str("@", kernel.name, " has a grid of ", kernel.grid.size(), " dimensions; this launch gives ", grid.size()),
        kernel.nameRange);
  std::optional<uint64_t> workgroups = workgroupCount(grid);
  if (!workgroups)
    return Error::environment(str("the grid of @", kernel.name, " has more than ", kMaxWorkgroups, " workgroups"),
                              kernel.nameRange);
  LaunchFrame frame;
  frame.workgroups = static_cast<int64_t>(*workgroups);
  frame.words.reserve(frameWords(kernel));
  for (size_t d = 0; d < kGridDims; ++d) {
    GridRange range = d + grid.size() < kGridDims ? GridRange{} : grid[d + grid.size() - kGridDims];
    for (int64_t value : {range.lower, range.step, range.count}) frame.words.push_back(word(value));
  }
  frame.failureWord = frame.words.size();
  frame.words.push_back(0);
  frame.words.push_back(0);
  frame.words.push_back(1);
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

} // namespace xt
