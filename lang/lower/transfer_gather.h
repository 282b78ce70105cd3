// Lowers transfer_gather ('iree_vector_ext' Dialect): what is contiguous is loaded as tiles, and an index vector that counts
// upwards makes its dimension contiguous.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// Returns nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerTransferGather(const CompositeClause &clause);

} // namespace xt
