// Loads of matrices by all lanes of a warp: ldmatrix.
#pragma once
#include "targets/soft/builtin_name.h"
#include "targets/soft/collective.h"

#include <optional>
#include <string>

namespace xt::soft {

// The device function that loads 1, 2 or 4 matrices of 8 rows of 16 bytes; its argument is an address in shared local memory.
std::string warpLoadName(int matrices, bool transposed);
std::optional<Collective> warpLoad(const BuiltinName &name);

} // namespace xt::soft
