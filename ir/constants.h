// The values of constants.
#pragma once
#include "ir/op.h"

#include <optional>

namespace xt {

// The value of a constant that is scalar or the same in all elements; null otherwise.
const AttrValue *constantValue(const Value &value);
// The same value if it is an integer.
std::optional<int64_t> constantInt(const Value &value);

} // namespace xt
