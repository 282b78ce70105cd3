// The padding of loads.
#pragma once
#include "ir/builder.h"

namespace xt {

// Makes the constant of this type that stands for elements of `load`, a load_tile, which are out of bounds or which its mask
// excludes.
Value *paddingOf(Builder &build, const Op &load, Type type);

} // namespace xt
