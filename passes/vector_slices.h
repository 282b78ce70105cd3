// Creates the ops that take vectors apart and put them together, none where the result is the operand itself.
#pragma once
#include "ir/builder.h"

namespace xt {

// The part of this shape that begins at `at`.
Value *sliceOf(Builder &builder, Value *vector, const std::vector<int64_t> &at, std::vector<int64_t> shape);
// `into` with `part` in place of its elements from `at` on.
Value *withSlice(Builder &builder, Value *part, Value *into, const std::vector<int64_t> &at);
// The elements in the same order.
Value *withShape(Builder &builder, Value *vector, std::span<const int64_t> shape);
// A vector of the shape of `like`, all of whose elements are the scalar.
Value *splatOf(Builder &builder, Value *scalar, Type like);

} // namespace xt
