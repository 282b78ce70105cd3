// Lowers the ops that rearrange elements along a dimension: `reverse`, `sort`, `topk`; and `histogram`. Sorting is Batcher's
// odd-even merge sort ("Sorting networks and their applications", 1968), which takes any number of elements: log2(extent) *
// (log2(extent) + 1) / 2 steps, each of which compares every element with one at a fixed distance.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// These functions return nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerReverse(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerSort(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerTopK(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerHistogram(const CompositeClause &clause);

} // namespace xt
