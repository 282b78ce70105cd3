// Creates the ops that take vectors apart and put them together, but none if the result would be the operand itself.
#pragma once
#include "ir/builder.h"

namespace xt {

// The part of the vector with this shape that begins at `at`.
Value *sliceOf(Builder &builder, Value *vector, const std::vector<int64_t> &at, std::vector<int64_t> shape);
// The vector `into`, with its elements from `at` on replaced by `part`.
Value *withSlice(Builder &builder, Value *part, Value *into, const std::vector<int64_t> &at);
// The elements of the vector, in the same row-major order, in another shape.
Value *withShape(Builder &builder, Value *vector, std::span<const int64_t> shape);
// A vector of the shape of `like`, all of whose elements are the scalar.
Value *splatOf(Builder &builder, Value *scalar, Type like);

} // namespace xt
