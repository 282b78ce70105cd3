// What the host computes before a launch: the ranges of the grid, and whether the arguments satisfy what the kernel requires.
#include "ir/base/text.h"
#include "ir/interp/header_values.h"
#include "ir/interp/launch_state.h"
#include "ir/print.h"

namespace xt {
namespace {

Result<void> checkRequirements(const Kernel &kernel, const HeaderValues &values) {
  for (size_t i = 0; i < kernel.requirements.size(); ++i) {
    const Requirement &required = kernel.requirements[i];
    Result<Number> holds = values.of(*required.condition);
    if (!holds) return holds.error();
    if (holds->i != 0) continue;
    std::string why = whyNot(*required.condition, [&](const Value &side) { return values.of(side)->i; });
    return Error::kernel(str("@", kernel.name, " requires ", requirementTexts(kernel)[i], ", but ", why), required.range);
  }
  return {};
}

Result<std::vector<GridRange>> rangesOf(const Kernel &kernel, const HeaderValues &values) {
  std::vector<GridRange> ranges;
  for (const GridDim &dim : kernel.grid) {
    Result<Number> lower = values.of(*dim.lower), upper = values.of(*dim.upper), step = values.of(*dim.step);
    for (const Result<Number> *number : {&lower, &upper, &step})
      if (!*number) return number->error();
    if (step->i <= 0)
      return Error::environment(str("the step of grid variable %", dim.variable->name(), " must be positive, it is ", step->i),
                                dim.variable->range());
    ranges.push_back(gridRange(lower->i, upper->i, step->i));
  }
  if (!workgroupCount(ranges))
    return Error::environment(str("the grid of @", kernel.name, " has more than 2^31 workgroups"), kernel.nameRange);
  return ranges;
}

} // namespace

Result<std::vector<GridRange>> computeGrid(const Kernel &kernel, const std::vector<LaunchArg> &args) {
  if (!kernel.computesHeader()) return std::vector<GridRange>();
  Result<std::vector<RuntimeValue>> bound = bindArguments(kernel, args);
  if (!bound) return bound.error();
  HeaderValues values(*bound);
  if (Result<void> holds = checkRequirements(kernel, values); !holds) return holds.error();
  return rangesOf(kernel, values);
}

bool satisfiesRequirements(const Kernel &kernel, const std::vector<LaunchArg> &args) {
  if (kernel.requirements.empty()) return true;
  Result<std::vector<RuntimeValue>> bound = bindArguments(kernel, args);
  return bound && checkRequirements(kernel, HeaderValues(*bound)).ok();
}

Result<std::vector<GridRange>> gridRanges(const Kernel &kernel, const std::vector<LaunchArg> &args) {
  Result<std::vector<RuntimeValue>> bound = bindArguments(kernel, args);
  if (!bound) return bound.error();
  return rangesOf(kernel, HeaderValues(*bound));
}

} // namespace xt
