// The shape to which the element indices in the message of a failed assert refer.
#pragma once
#include "ir/op.h"

#include <vector>

namespace xt {

// Returns the shape of the assert's condition, or of the larger vector of which the condition is a part; empty for a scalar.
std::vector<int64_t> assertedShape(const Op &op);

} // namespace xt
