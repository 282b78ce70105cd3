#include "targets/api/arguments.h"

#include "ir/base/text.h"
#include "ir/interp/launch_state.h"
#include "targets/api/boundary/array_argument.h"

#include <cstring>

namespace xt {
namespace {

// Returns what is wrong with an argument; "" if nothing is.
std::string readArgument(const xt_argument &given, Type type, bool written, LaunchArg &out) {
  switch (given.kind) {
  case XT_ARRAY: {
    out.kind = LaunchArg::Kind::Buffer;
    if (std::string wrong = readArray(given, out.buffer); !wrong.empty()) return wrong;
    if (std::string wrong = whyUnfit(type, out); !wrong.empty()) return wrong;
    return whyUnusable(given, out.buffer, written, "the kernel");
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
  if (Result<std::vector<GridRange>> own = computeGrid(kernel, args); !own) return {XT_INVALID_ARGUMENT, own.error().message};
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
