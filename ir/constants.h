// What constants hold.
#pragma once
#include "ir/op.h"

#include <optional>

namespace xt {

// The value of a constant, scalar or the same in all elements; null otherwise.
const AttrValue *constantValue(const Value &value);
// The same, where it is an integer.
std::optional<int64_t> constantInt(const Value &value);

} // namespace xt
