// Lowers `associative_scan` and `associative_reduce`, whose combiner is a function of the file. Each step of the expansion combines
// every element with the one at a distance of 1, 2, 4, … before or behind it, so that log2(extent) calls of the function are inlined.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// These functions return nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerAssociativeScan(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerAssociativeReduce(const CompositeClause &clause);

} // namespace xt
