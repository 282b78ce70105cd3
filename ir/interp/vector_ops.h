// Ops on whole vectors: what they compute, and from which elements, independently of who holds them.
#pragma once
#include "ir/interp/arithmetic.h"
#include "ir/interp/program.h"
#include "ir/interp/values.h"

#include <span>

namespace xt {

// The part that contains a whole vector of a static shape.
Holding::Part wholePart(std::span<const int64_t> shape);

// Whether an element of the result may depend on elements of the operand at other places, or in other subgroups.
bool movesElements(TypeRule rule);

// Whether the elements `target` of the result of such an op can be computed from the elements `source` of its operand.
bool computableFrom(const Op &op, const Holding::Part &source, const Holding::Part &target);

// Computes the elements `target` of the result; `elements` are those of `source`, which must suffice.
Fragment evaluateVectorOp(const Op &op, const Fragment &elements, const Holding::Part &source, const Holding::Part &target,
                          Arithmetic &arithmetic = ieeeArithmetic());

// The element of iota or create_mask at an index; `extents` are create_mask's operands.
Number iotaAt(const Op &op, std::span<const int64_t> index, Arithmetic &arithmetic = ieeeArithmetic());
bool maskAt(std::span<const int64_t> extents, std::span<const int64_t> index);

// The row-major position of an index in a shape; nullopt if it is outside.
std::optional<size_t> linearIndex(std::span<const int64_t> shape, std::span<const int64_t> index);

// A float rounded to a narrower type, or unchanged if the types are the same.
Number narrowed(Elem from, Elem to, Number value, Arithmetic &arithmetic = ieeeArithmetic());

// `value` combined with `other` by the op of a kind word (ir/combine.h); "assign" gives `other`.
Number combine(std::string_view kind, Elem elem, Number value, Number other, Arithmetic &arithmetic = ieeeArithmetic());

} // namespace xt
