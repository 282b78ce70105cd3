// Lowers the ops that put vectors together and take them apart: `concat`, `vector.interleave` and `vector.deinterleave`.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// These functions return nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerConcat(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerInterleave(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerDeinterleave(const CompositeClause &clause);

} // namespace xt
