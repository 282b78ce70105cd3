#include "ir/interp/launch_state.h"

#include "ir/base/text.h"

#include <algorithm>
#include <numeric>

namespace xt {

MemoryRange bytesOf(const BufferView &view) {
  static constexpr unsigned char kNothing = 0;
  int64_t bytes = elemInfo(view.elem).storageBytes, before = 0, behind = bytes;
  bool empty = false;
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    empty |= view.sizes[d] == 0;
    int64_t reach = (view.sizes[d] - 1) * view.strides[d] * bytes;
    (reach < 0 ? before : behind) += reach;
  }
  const auto *data = static_cast<const unsigned char *>(view.data);
  if (!data) return {&kNothing, &kNothing};
  return empty ? MemoryRange{data, data} : MemoryRange{data + before, data + behind};
}

bool overlap(const BufferView &a, const BufferView &b) {
  MemoryRange x = bytesOf(a), y = bytesOf(b);
  return x.low < y.high && y.low < x.high;
}

namespace {
Error argumentError(const Kernel &kernel, size_t i, std::string text) {
  return Error::environment(str("argument ", i + 1, " of @", kernel.name, ": ", text), kernel.param(i)->range());
}

// Whether the distance from the first to the last element is below 2^59 elements, so that it fits 63 bits in bytes.
bool addressable(const BufferView &view) {
  __int128 reach = 1;
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    if (view.sizes[d] == 0) return true;
    __int128 stride = view.strides[d] < 0 ? -static_cast<__int128>(view.strides[d]) : view.strides[d];
    reach += static_cast<__int128>(view.sizes[d] - 1) * stride;
    if (reach >> 59) return false;
  }
  return true;
}

std::string checkBuffer(Type type, const BufferView &view) {
  auto rank = static_cast<size_t>(type.rank());
  if (view.elem != type.elem()) return str("an array of ", elemName(view.elem), " for ", shapedText(type));
  if (view.sizes.size() != rank || view.strides.size() != rank)
    return str("an array of ", view.sizes.size(), " dimensions for ", shapedText(type));
  std::vector<int64_t> strides = memrefStrides(type);
  bool empty = false;
  for (size_t d = 0; d < rank; ++d) {
    int64_t extent = type.shape()[d];
    if (view.sizes[d] < 0 || (extent != kDynamic && view.sizes[d] != extent))
      return str("an array of shape ", join(view.sizes, "x"), " for ", shapedText(type));
    empty = empty || view.sizes[d] == 0;
  }
  for (size_t d = 0; d < rank; ++d) {
    if (view.sizes[d] <= 1 || empty) continue; // the stride of a dimension of extent 1 is never used
    if (strides[d] != kDynamic && view.strides[d] != strides[d])
      return str("dimension ", d, " has stride ", view.strides[d], ", but ", shapedText(type), " has ", strides[d]);
    // Tiles of arrays of any stride are gathered from a view that begins at the first element (lang/lower).
    if (view.strides[d] < 0) return str("dimension ", d, " has stride ", view.strides[d], ", but strides are not negative");
  }
  if (!empty && !view.data) return "an array without memory";
  if (!addressable(view)) return "an array that 64-bit addresses cannot reach";
  return "";
}

MemRefValue memrefOf(const BufferView &view, size_t parameter) {
  MemRefValue value;
  value.data = static_cast<unsigned char *>(view.data);
  value.elem = view.elem;
  value.rank = view.sizes.size();
  std::copy(view.sizes.begin(), view.sizes.end(), value.sizes.begin());
  std::copy(view.strides.begin(), view.strides.end(), value.strides.begin());
  value.parameter = parameter;
  value.memory = bytesOf(view);
  return value;
}
} // namespace

std::string whyUnfit(Type type, const LaunchArg &arg) {
  bool buffer = arg.kind == LaunchArg::Kind::Buffer;
  if (type.isMemRef()) return buffer ? checkBuffer(type, arg.buffer) : str("a number for ", shapedText(type));
  if (!type.isScalar()) return str("a launch cannot pass ", shapedText(type));
  if (buffer) return type.isAddress() ? "" : str("an array for ", shapedText(type));
  if (isFloat(type.elem())) return "";
  if (arg.kind == LaunchArg::Kind::Float) return str(floatText(arg.number), " for ", shapedText(type));
  return fitsInteger(type.elem(), arg.integer) ? "" : str(arg.integer, " does not fit ", shapedText(type));
}

Result<std::vector<RuntimeValue>> bindArguments(const Kernel &kernel, const std::vector<LaunchArg> &args) {
  if (args.size() != kernel.paramCount)
    return Error::environment(str("@", kernel.name, " takes ", kernel.paramCount, " arguments, not ", args.size()),
                              kernel.nameRange);
  std::vector<RuntimeValue> values;
  for (size_t i = 0; i < args.size(); ++i) {
    Type type = kernel.param(i)->type();
    const LaunchArg &arg = args[i];
    if (std::string why = whyUnfit(type, arg); !why.empty()) return argumentError(kernel, i, why);
    if (type.isMemRef())
      values.push_back(memrefOf(arg.buffer, i));
    else if (arg.kind == LaunchArg::Kind::Buffer)
      values.push_back(integerNumber(static_cast<int64_t>(reinterpret_cast<intptr_t>(arg.buffer.data))));
    else if (isFloat(type.elem()))
      values.push_back(
          numberFromAttr(type.elem(), arg.kind == LaunchArg::Kind::Float ? AttrValue(arg.number) : AttrValue(arg.integer)));
    else
      values.push_back(integerNumber(arg.integer));
  }
  return values;
}

std::vector<MemoryRange> bufferRanges(const std::vector<LaunchArg> &args) {
  std::vector<MemoryRange> ranges;
  for (const LaunchArg &arg : args)
    if (arg.buffer.data) ranges.push_back(bytesOf(arg.buffer));
  return ranges;
}

Result<GridWalk> GridWalk::make(const Kernel &kernel, const std::vector<GridRange> &ranges, Schedule schedule) {
  if (!kernel.grid.empty() && kernel.grid.size() != ranges.size())
    return Error::environment(
        str("the grid of @", kernel.name, " has ", kernel.grid.size(), " dimensions, not ", ranges.size()), kernel.nameRange);
  std::optional<uint64_t> count = workgroupCount(ranges);
  if (!count) return Error::environment(str("the grid of @", kernel.name, " has more than 2^31 workgroups"), kernel.nameRange);
  GridWalk walk;
  walk.ranges_ = ranges;
  walk.hasVariables_ = !kernel.grid.empty();
  walk.count_ = *count;
  if (*count <= 1) return walk;
  switch (schedule.order) {
  case Schedule::Order::Forward: break;
  case Schedule::Order::Reversed:
    walk.first_ = *count - 1;
    walk.stride_ = *count - 1;
    break;
  case Schedule::Order::Seeded: {
    // A stride that is coprime to the count visits each workgroup once.
    std::mt19937_64 random(schedule.seed);
    walk.first_ = random() % *count;
    do walk.stride_ = 1 + random() % (*count - 1);
    while (std::gcd(walk.stride_, *count) != 1);
    break;
  }
  }
  return walk;
}

std::string workgroupText(const Kernel &kernel, std::span<const int64_t> blockId) {
  if (blockId.empty()) return "the workgroup";
  std::vector<int64_t> written(blockId.begin(), blockId.end());
  if (kernel.grid.empty()) std::reverse(written.begin(), written.end());
  return str("workgroup (", join(written, ", "), ")");
}

std::string originText(const Kernel &kernel, std::span<const int64_t> blockId, int64_t subgroup) {
  std::string origin = blockId.empty() ? "" : workgroupText(kernel, blockId);
  if (kernel.scope == Scope::Subgroup && kernel.subgroups > 1 && subgroup >= 0)
    origin += str(origin.empty() ? "" : ", ", "subgroup ", subgroup);
  return origin;
}

std::vector<int64_t> GridWalk::blockId(uint64_t n) const {
  uint64_t rest = (first_ + n * stride_) % count_; // below 2^62: both factors are at most 2^31
  std::vector<int64_t> id(ranges_.size());
  for (size_t d = ranges_.size(); d-- > 0;) {
    auto extent = static_cast<uint64_t>(ranges_[d].count);
    id[d] = static_cast<int64_t>(rest % extent);
    rest /= extent;
  }
  return id;
}

std::vector<RuntimeValue> GridWalk::variables(const std::vector<int64_t> &blockId) const {
  std::vector<RuntimeValue> values;
  if (!hasVariables_) return values;
  for (size_t d = 0; d < ranges_.size(); ++d)
    values.emplace_back(integerNumber(ranges_[d].lower + blockId[d] * ranges_[d].step));
  return values;
}

} // namespace xt
