// The ops that compute a kernel's header (its grid and what it requires) from the arguments, on the host before each launch.
#pragma once
#include "ir/op.h"

namespace xt {

inline constexpr size_t kMostHeaderOperands = 3; // of an elementwise op

// Whether the op may stand in Kernel::gridBlock: a constant, an extent or a stride of a parameter in a constant dimension, or an elementwise op on scalars.
bool isHeaderOp(const Op &op);

} // namespace xt
