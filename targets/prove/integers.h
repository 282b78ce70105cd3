// Scalar integer ops as terms. Terms have no width; integers of a type do: what leaves the range of its type wraps around.
#pragma once
#include "ir/op.h"
#include "targets/prove/smt.h"

#include <span>

namespace xt {

// Whether a value is a scalar integer or truth value (i1), which has a term.
bool isNumber(const Value &value);

// The result of an op as if integers had no width, from the terms of its operands. Null if the op is not followed.
Term exactResult(const Op &op, std::span<const Term> operands, Smt &smt);

// Whether the exact result of the op may lie outside the range of its type.
bool mayWrap(const Op &op);

// A condition: the term lies in the range of the integer type, which is not i1.
Term fits(Term term, Elem elem, Smt &smt);

// The value of the integer type that the term wraps around to.
Term wrapped(Term term, Elem elem, Smt &smt);

} // namespace xt
