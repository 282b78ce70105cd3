// Lowers `tile_mma_scaled`, the product of the microscaling formats: blocks of elements along K share a scale (Open Compute Project,
// Microscaling Formats Specification 1.0, 6.2).
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// Returns nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerScaledMma(const CompositeClause &clause);

} // namespace xt
