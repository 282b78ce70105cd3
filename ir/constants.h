// The values of constants.
#pragma once
#include "ir/op.h"

#include <optional>

namespace xt {

// The value of a constant that is scalar or the same in all elements; null if `value` is no constant.
const AttrValue *constantValue(const Value &value);
// The value of a constant that is an integer, scalar or the same in all elements; nullopt for other values.
std::optional<int64_t> constantInt(const Value &value);

// Whether a number is 0, and of floats not -0.
bool isPositiveZero(const AttrValue &number);

} // namespace xt
