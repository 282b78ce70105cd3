// The numbers that a kernel's header (its grid and what it requires) computes from the arguments of a launch.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/scalar_eval.h"
#include "ir/interp/values.h"
#include "ir/module.h"

#include <functional>
#include <optional>
#include <string>

namespace xt {

// Evaluates values of Kernel::gridBlock, each by the expression that computes it: every launch does this, so nothing is prepared.
class HeaderValues {
public:
  // `args` are the values of the block's parameters (bindArguments()).
  explicit HeaderValues(const std::vector<RuntimeValue> &args) : args_(args) {}

  // An Error if a dimension is not one of its array.
  Result<Number> of(const Value &value) const;

private:
  Result<Number> ofArray(const Op &op) const;
  const std::vector<RuntimeValue> &args_;
};

// The value that a header's expression has in every launch; nullopt if it depends on the arguments. Static extents do not,
// nor do static strides along more than one element, and neither does `and` with a false operand or `or` with a true one.
std::optional<Number> constantInHeader(const Value &value);

// Why a condition does not hold: "the sides are 778 and 777" of a comparison of indices, whose values `number` gives.
std::string whyNot(const Value &condition, const std::function<int64_t(const Value &)> &number);

} // namespace xt
