// The shape in which an assert counts its elements.
#pragma once
#include "ir/op.h"

#include <vector>

namespace xt {

// The shape of its condition, or of the larger vector that the condition is a part of; empty for a scalar.
std::vector<int64_t> assertedShape(const Op &op);

} // namespace xt
