// Parts of vectors that an op makes from nothing, for passes that cut vectors.
#pragma once
#include "ir/builder.h"

namespace xt {

// A vector of `type` like what `iota` gives, counting from `first` (null: 0). Counted as indices, where no element type
// rounds, and converted after.
Value *iotaFrom(Builder &builder, const Op &iota, Type type, Value *first);

} // namespace xt
