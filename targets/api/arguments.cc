#include "targets/api/arguments.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/interp/launch_state.h"
#include "targets/api/elements.h"

#include <cstring>

namespace xt {
namespace {

// Each of these returns what is wrong with an argument; "" if nothing is.

std::string readArray(const xt_argument &given, BufferView &out) {
  std::optional<Elem> elem = elemOf(given.element);
  if (!elem) return str("its element type ", static_cast<int>(given.element), " does not exist");
  if (given.rank < 0 || given.rank > XT_MAX_RANK) return str("its rank is ", given.rank, ", not 0 to ", XT_MAX_RANK);
  auto rank = static_cast<size_t>(given.rank);
  if (rank > 0 && !given.shape) return "its shape is NULL";
  out.elem = *elem;
  out.data = given.data;
  if (rank > 0) out.sizes.assign(given.shape, given.shape + rank);
  for (int64_t extent : out.sizes)
    if (extent < 0) return str("its shape ", join(out.sizes, "x"), " has a negative extent");
  if (given.strides) {
    out.strides.assign(given.strides, given.strides + rank);
    return "";
  }
  out.strides.resize(rank);
  int64_t stride = 1;
  for (size_t d = rank; d-- > 0;) {
    out.strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(out.sizes[d], 1), &stride)) return "it is too large";
  }
  return "";
}

std::string checkMemory(const xt_argument &given, const BufferView &array, bool written) {
  auto bytes = static_cast<uintptr_t>(elemInfo(array.elem).storageBytes);
  if (reinterpret_cast<uintptr_t>(array.data) % bytes != 0)
    return str("its address is not a multiple of ", bytes, ", the bytes of an ", elemName(array.elem));
  if (!written) return "";
  if (given.read_only) return "it is read-only, but the kernel writes it";
  bool empty = std::find(array.sizes.begin(), array.sizes.end(), 0) != array.sizes.end();
  if (!empty && !haveDistinctPlaces(array.sizes, array.strides))
    return str("several of its indices have the same element (shape ", join(array.sizes, "x"), ", strides ",
               join(array.strides, ", "), "), but the kernel writes it");
  return "";
}

std::string readArgument(const xt_argument &given, Type type, bool written, LaunchArg &out) {
  switch (given.kind) {
  case XT_ARRAY: {
    out.kind = LaunchArg::Kind::Buffer;
    if (std::string wrong = readArray(given, out.buffer); !wrong.empty()) return wrong;
    if (std::string wrong = whyUnfit(type, out); !wrong.empty()) return wrong;
    return checkMemory(given, out.buffer, written);
  }
  case XT_INTEGER:
    if (isFloat(type.elem()) && type.isScalar()) {
      out.kind = LaunchArg::Kind::Float;
      out.number = roundTo(type.elem(), static_cast<double>(given.integer));
      return "";
    }
    out.integer = given.integer;
    break;
  case XT_FLOAT:
    out.kind = LaunchArg::Kind::Float;
    out.number = type.isScalar() && isFloat(type.elem()) ? roundTo(type.elem(), given.number) : given.number;
    break;
  default: return str("its kind ", static_cast<int>(given.kind), " does not exist");
  }
  return whyUnfit(type, out);
}

} // namespace

Failure readArguments(const Kernel &kernel, const KernelInfo &info, const xt_argument *arguments, size_t count,
                      std::vector<LaunchArg> &out) {
  if (count != kernel.paramCount)
    return invalid("argument_count", str("is ", count, ", but @", kernel.name, " takes ", kernel.paramCount));
  if (count > 0 && !arguments) return invalid("arguments", "is NULL");
  out.resize(count);
  const auto *bytes = reinterpret_cast<const char *>(arguments);
  for (size_t i = 0, step = count > 0 ? arguments->size : 0; i < count; ++i) {
    xt_argument given = XT_INIT(xt_argument);
    if (Failure bad = readVersioned(bytes + i * step, &given, sizeof given, "arguments")) return bad;
    if (given.size != step) return invalid("arguments.size", "differs among the arguments");
    std::string wrong = readArgument(given, kernel.param(i)->type(), info.writes(i), out[i]);
    if (!wrong.empty())
      return {XT_INVALID_ARGUMENT, str("argument `", info.parameterName(i), "` of @", kernel.name, ": ", wrong),
              info.parameterName(i), static_cast<int32_t>(i)};
  }
  return {};
}

Failure readOptions(const Kernel &kernel, const std::vector<LaunchArg> &args, const xt_launch_options *options,
                    std::vector<GridRange> &out, LaunchWishes &wishes) {
  xt_launch_options given = XT_INIT(xt_launch_options);
  if (Failure bad = readVersioned(options, given, "options")) return bad;
  if (!(given.seconds >= 0)) return invalid("options.seconds", str("is ", given.seconds, ", not 0 or more"));
  wishes = {given.stop, given.seconds, given.kernel_seconds};
  if (!kernel.grid.empty()) {
    if (given.grid_rank != 0) return invalid("options.grid", str("is given, but @", kernel.name, " has its own grid"));
    Result<std::vector<GridRange>> grid = computeGrid(kernel, args);
    if (!grid) return {XT_INVALID_ARGUMENT, grid.error().message};
    out = std::move(*grid);
    return {};
  }
  if (given.grid_rank < 0 || given.grid_rank > 3)
    return invalid("options.grid_rank", str("is ", given.grid_rank, ", not 0 to 3"));
  for (int32_t d = given.grid_rank; d-- > 0;) {
    if (given.grid[d] < 0) return invalid("options.grid", str("has the negative extent ", given.grid[d]));
    out.push_back({0, 1, given.grid[d]}); // given x first, stored outermost first
  }
  if (!workgroupCount(out)) return invalid("options.grid", str("has more than ", kMaxWorkgroups, " workgroups"));
  return {};
}

} // namespace xt
