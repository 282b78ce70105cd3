// Scalar integer ops as terms. Terms have no width, but integer types have one: a value outside the range of its type wraps
// around.
#pragma once
#include "ir/op.h"
#include "targets/prove/smt.h"

#include <span>

namespace xt {

// Whether a value is a scalar integer or truth value (i1), which has a term.
bool isNumber(const Value &value);

// Returns the result of an op as if integers had no width, from the terms of its operands. Null if the op is not followed.
Term exactResult(const Op &op, std::span<const Term> operands, Smt &smt);

// Whether the exact result of the op may be outside the range of its type.
bool mayWrap(const Op &op);

// The condition that the term is in the range of the integer type, which must not be i1.
Term fits(Term term, Elem elem, Smt &smt);

// The value of the integer type to which the term wraps around.
Term wrapped(Term term, Elem elem, Smt &smt);

} // namespace xt
