// Ops that rearrange or combine the elements of a vector: how each element of the result is computed, and from which elements
// of the operand, independently of who holds them.
#pragma once
#include "ir/interp/arithmetic.h"
#include "ir/interp/program.h"
#include "ir/interp/values.h"

#include <span>

namespace xt {

// The part that contains a whole vector of a static shape.
Holding::Part wholePart(std::span<const int64_t> shape);

// Whether an element of the result may depend on elements of the operand that have other indices or other owners.
bool movesElements(TypeRule rule);

// Whether the part `target` of the result can be computed from the part `source` of the operand.
bool computableFrom(const Op &op, const Holding::Part &source, const Holding::Part &target);

// Computes the part `target` of the result. `elements` are the elements of the part `source` of the operand, from which it
// must be computable.
Fragment evaluateVectorOp(const Op &op, const Fragment &elements, const Holding::Part &source, const Holding::Part &target,
                          Arithmetic &arithmetic = ieeeArithmetic());

// The whole vector with the part in its place, for an op that inserts a slice. Both are row-major.
Fragment insertedSlice(const Op &op, const Fragment &part, Fragment whole);

// The element of iota or create_mask at an index; `extents` are create_mask's operands.
Number iotaAt(const Op &op, std::span<const int64_t> index, Arithmetic &arithmetic = ieeeArithmetic());
bool maskAt(std::span<const int64_t> extents, std::span<const int64_t> index);

// The row-major position of an index in a shape; nullopt if the index is out of bounds.
std::optional<size_t> linearIndex(std::span<const int64_t> shape, std::span<const int64_t> index);

// The float `value`, rounded from the type `from` to the narrower type `to`, or unchanged if the types are the same.
Number narrowed(Elem from, Elem to, Number value, Arithmetic &arithmetic = ieeeArithmetic());

// Combines `value` with `other` by the op of a kind word (ir/combine.h). "assign" gives `other`.
Number combine(std::string_view kind, Elem elem, Number value, Number other, Arithmetic &arithmetic = ieeeArithmetic());

} // namespace xt
