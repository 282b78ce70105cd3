// The clause `requires (…)` of a kernel's header, and what a header may compute.
#pragma once
#include "lang/lower/kernel_state.h"

#include <optional>
#include <string_view>

namespace xt {

// Lowers the conditions to ops at the builder's position, in the grid's block, where only the kernel's parameters are known.
// `same_shape(%A, %B, …)` becomes one condition for each dimension of each array but the first.
void lowerRequirements(KernelState &state);

// Whether the expression is a call of `same_shape`.
bool isSameShape(const ast::Expr &expr);
// Lowers it to comparisons of extents. Nullopt: an error has been reported.
std::optional<std::vector<Value *>> lowerSameShape(KernelState &state, const ast::Expr &call);

// Whether the host can compute the value before a launch; otherwise reports `what` at the range.
bool fitsHeader(KernelState &state, const Value &value, SourceRange range, std::string_view what);

} // namespace xt
