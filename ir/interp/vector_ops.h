// Ops on whole vectors, elements row-major: what they compute, whoever holds the parts.
#pragma once
#include "ir/interp/values.h"

#include <span>

namespace xt {

// The result of a transpose, reduction, broadcast, convert_layout or reshape of `whole`, which holds operand 0.
Fragment evaluateVectorOp(const Op &op, const Fragment &whole);

// Elements of iota and create_mask at an index; `extents` are create_mask's operands.
Number iotaAt(const Op &op, std::span<const int64_t> index);
bool maskAt(std::span<const int64_t> extents, std::span<const int64_t> index);

// The row-major place of an index in a shape; nullopt outside.
std::optional<size_t> linearIndex(std::span<const int64_t> shape, std::span<const int64_t> index);

// `value` combined with `other` by the op of a kind word (ir/combine.h); "assign" gives `other`.
Number combine(std::string_view kind, Elem elem, Number value, Number other);

} // namespace xt
