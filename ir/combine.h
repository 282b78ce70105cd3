// The kinds of reductions and atomics: the elementwise op that combines two values, and its identity.
#pragma once
#include "ir/op.h"

#include <optional>
#include <string_view>

namespace xt {

// The op that a kind word of `reduction` ("add", "minsi" …) or `atomic_rmw` ("addf", "mins" …) stands for, on an element type.
// Nullopt if the kind is not defined for the type, and for "assign", which combines nothing.
std::optional<OpKind> combiningOp(std::string_view kind, Elem elem);
// The op for the kind of a reduction or an atomic, on the elements of its result. A compare and swap combines nothing.
std::optional<OpKind> combiningOp(const Op &op);

// The value that changes no other value of the type when combined with it: 0 for add, 1 for mul, -inf for maximumf …
AttrValue combiningIdentity(OpKind op, Elem elem);

// Whether combining rounds, so that the result depends on the order: true for sums and products of floats. All other ops are
// exact.
bool combiningRounds(OpKind op);

// The type in which a reduction combines its terms: f32 for sums and products of 16- and 8-bit floats, whose result is
// rounded once at the end; else the type itself.
Elem reductionElem(OpKind op, Elem elem);

} // namespace xt
