// In which shape an assert counts its elements.
#pragma once
#include "ir/op.h"

#include <vector>

namespace xt {

// That of its condition, or of the vector that this is a part of; none for a scalar.
std::vector<int64_t> assertedShape(const Op &op);

} // namespace xt
