// Lowers `memref.atomic_rmw` and `memref.atomic_cas`, atomic updates of one element: a scatter tile of one element is updated.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// Returns nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerScalarAtomic(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerScalarCompareAndSwap(const CompositeClause &clause);

} // namespace xt
