// Lowers vector.contract of MLIR to matrix products.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// Returns nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerContract(const CompositeClause &clause);

} // namespace xt
