// Creates parts of vectors that have no source vector, such as those of iota, for passes that cut vectors.
#pragma once
#include "ir/builder.h"

namespace xt {

// Creates a part of the result of `iota`, as a vector of `type` that counts from `first` (null: 0). It counts in `index`, where
// nothing is rounded, and converts to the element type afterwards.
Value *iotaFrom(Builder &builder, const Op &iota, Type type, Value *first);

// Zeros of an integer or float type.
Value *zerosOf(Builder &builder, Type type);

} // namespace xt
