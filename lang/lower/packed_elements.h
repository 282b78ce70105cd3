// Lowers `unpack` and `pack`: elements of 1 or 4 bits that lie several in a byte.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// These functions return nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerUnpack(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerPack(const CompositeClause &clause);

} // namespace xt
