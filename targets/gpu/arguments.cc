#include "targets/gpu/arguments.h"

#include "ir/base/text.h"
#include "ir/gpu/block_rules.h"
#include "ir/interp/scalar_eval.h"

#include <limits>

namespace xt {
namespace {

GpuArgument word(int64_t value) { return {static_cast<uint64_t>(value), 8}; }

GpuArgument scalar(Type type, Number value, const DeviceAddress &deviceAddress) {
  GpuArgument argument{0, static_cast<uint32_t>(elemInfo(type.elem()).storageBytes)};
  if (isInteger(type.elem()))
    argument.bits = static_cast<uint64_t>(value.i);
  else
    storeNumber(type.elem(), &argument.bits, value);
  if (!type.isAddress()) return argument;
  if (auto there = deviceAddress(reinterpret_cast<const void *>(static_cast<uintptr_t>(argument.bits)))) argument.bits = *there;
  return argument;
}

// Describes the matrix of a memref like blockBaseOf, but with the sizes and strides of the launch. `turned`: describes its
// transpose.
BlockBase blockBase(MemRefValue memref, bool turned) {
  size_t rank = memref.rank;
  if (turned)
    std::swap(memref.sizes[rank - 2], memref.sizes[rank - 1]), std::swap(memref.strides[rank - 2], memref.strides[rank - 1]);
  BlockBase base;
  base.elem = memref.elem;
  base.width = memref.sizes[rank - 1];
  base.step = memref.sizes[rank - 1] == 1 ? 1 : memref.strides[rank - 1];
  base.height = rank > 1 ? memref.sizes[rank - 2] : 1;
  base.pitch = rank > 1 ? memref.strides[rank - 2] : base.width;
  // A height of 1 would disable the check of the pitch. It must be checked, because the kernel assumes this stride, and
  // withPitches cannot change it.
  if (turned && base.height == 1) base.height = kDynamic;
  // The stride of a dimension with a single index is never used.
  for (size_t d = 0; d + 2 < rank; ++d)
    if (memref.sizes[d] > 1) base.apart.push_back(memref.strides[d]);
  return base;
}

} // namespace

std::vector<RuntimeValue> withPitches(const GpuKernel &code, std::vector<RuntimeValue> values, const BlockRules &rules) {
  for (const GpuBlockUse &use : code.blockUses) {
    auto &memref = std::get<MemRefValue>(values[use.param]);
    size_t rank = memref.rank;
    int64_t bytes = elemInfo(memref.elem).storageBytes;
    if (rank >= 2 && !use.turned && memref.sizes[rank - 2] == 1)
      memref.strides[rank - 2] = shortestPitch(rules, memref.sizes[rank - 1] * bytes) / bytes;
  }
  return values;
}

std::vector<GpuArgument> gpuArguments(const Kernel &kernel, const std::vector<RuntimeValue> &values,
                                      const std::vector<GridRange> &grid, const DeviceAddress &deviceAddress,
                                      std::optional<uint64_t> outcome) {
  std::vector<GpuArgument> arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    if (const auto *number = std::get_if<Number>(&values[i])) {
      arguments.push_back(scalar(kernel.param(i)->type(), *number, deviceAddress));
      continue;
    }
    const auto &memref = std::get<MemRefValue>(values[i]);
    arguments.push_back({deviceAddress(memref.data).value_or(0), 8, true});
    for (size_t d = 0; d < memref.rank; ++d) arguments.push_back(word(memref.sizes[d]));
    for (size_t d = 0; d < memref.rank; ++d) arguments.push_back(word(memref.strides[d]));
  }
  for (size_t d = 0; d < kernel.grid.size(); ++d) {
    arguments.push_back(word(grid[d].lower));
    arguments.push_back(word(grid[d].step));
  }
  if (outcome) arguments.push_back({*outcome, 8, true});
  return arguments;
}

std::string whyNoBlocks(const GpuKernel &code, const Kernel &kernel, const std::vector<RuntimeValue> &values,
                        const TargetInfo &target, const DeviceAddress &deviceAddress) {
  if (!target.blocks.any()) return "";
  for (const GpuBlockUse &use : code.blockUses) {
    const auto &memref = std::get<MemRefValue>(values[use.param]);
    std::string_view name = kernel.param(use.param)->name();
    auto address = deviceAddress(memref.data);
    if (!address || memref.rank == 0) return str("`%", name, "` has no elements");
    if (*address % static_cast<uint64_t>(target.blocks.baseAlignment) != 0)
      return str("`%", name, "` begins at an address that is not a multiple of ", target.blocks.baseAlignment);
    if (std::string why = whyNoBlockBase(target.blocks, blockBase(memref, use.turned)); !why.empty())
      return str("`%", name, "`: ", why);
  }
  return "";
}

std::string whyNotAligned(const GpuKernel &code, const Kernel &kernel, const std::vector<RuntimeValue> &values,
                          const DeviceAddress &deviceAddress) {
  for (const LaneAlignment &alignment : code.alignments) {
    const auto &memref = std::get<MemRefValue>(values[alignment.param]);
    std::string_view name = kernel.param(alignment.param)->name();
    auto address = deviceAddress(memref.data);
    if (address && *address % static_cast<uint64_t>(alignment.bytes) != 0)
      return str("`%", name, "` begins at an address that is not a multiple of ", alignment.bytes);
    int64_t bytes = elemInfo(memref.elem).storageBytes;
    for (size_t d = 0; d < memref.rank; ++d)
      if (memref.strides[d] > std::numeric_limits<int32_t>::max() || memref.strides[d] < 0)
        return str("a stride of `%", name, "` is ", memref.strides[d], ", which 32 bits do not hold");
      else if (memref.sizes[d] > 1 && d + 1 != memref.rank && memref.strides[d] * bytes % alignment.bytes != 0)
        return str("a stride of `%", name, "` is ", memref.strides[d] * bytes, " bytes, not a multiple of ", alignment.bytes);
  }
  return "";
}

} // namespace xt
